//! The world outside: it counts what happens, and things befall it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use durable_runtime::clock::Clock;
use durable_runtime::core::time::Timestamp;
use durable_runtime::prelude::*;
use durable_runtime::testing::ManualClock;
use durable_runtime::{Error, Failure};
use serde::{Deserialize, Serialize};

use super::program::{HOUR, Kind, Program};

/// What befalls a call.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Fault {
    /// Nothing is done, and that is said.
    Busy,
    /// Nothing is done, and nobody knows.
    Reset,
    /// It is done, and nobody knows.
    Unheard,
    /// Nothing is done, and there is no answer.
    DiesBefore,
    /// It is done, and there is no answer.
    DiesAfter,
    /// There is no answer, and three seconds later it is done.
    LandsLate,
    /// Whoever calls does so with a library that is broken.
    Panics,
    /// Nothing is done, and it is of no use to try again.
    Refused,
}

#[derive(Debug)]
pub(super) enum Trouble {
    Busy,
    Reset,
    Refused,
    Session(Error),
}

impl Trouble {
    pub(super) fn classify(&self) -> Failure {
        match self {
            Self::Busy => Failure::retry_after(Duration::from_secs(2)),
            Self::Refused => Failure::rejected(),
            Self::Reset | Self::Session(_) => Failure::unknown(),
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Session(error)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("busy"),
            Self::Reset => f.write_str("reset"),
            Self::Refused => f.write_str("refused"),
            Self::Session(error) => error.fmt(f),
        }
    }
}

pub(super) struct World {
    pub(super) clock: ManualClock,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    faults: HashMap<String, VecDeque<Fault>>,
    blind: HashMap<String, u32>,
    /// Keys whose receiver drops repeats.
    once: HashSet<String>,
    done: HashMap<String, u64>,
    on_their_way: Vec<(Timestamp, String)>,
    /// When each sleep was first reached, and how often one ended too early.
    lay_down: HashMap<String, Timestamp>,
    woken_early: u32,
}

impl World {
    pub(super) fn of(program: &Program) -> Self {
        let mut inside = Inside::default();
        for (key, step) in program.steps() {
            inside.faults.insert(key.clone(), step.faults.iter().copied().collect());
            inside.blind.insert(key.clone(), step.blind);
            if step.kind == Kind::Idempotent {
                inside.once.insert(key);
            }
        }
        Self { clock: ManualClock::default(), inside: Mutex::new(inside) }
    }

    /// What an effect, or a read, of this key gives.
    pub(super) fn value(key: &str) -> u64 {
        key.bytes().fold(7, |value, byte| value.wrapping_mul(31).wrapping_add(u64::from(byte)))
    }

    pub(super) async fn call(&self, key: StepKey) -> Result<u64, Trouble> {
        self.act(key.to_string()).await
    }

    pub(super) async fn act(&self, key: String) -> Result<u64, Trouble> {
        tokio::task::yield_now().await;
        let now = self.clock.now();
        let fault = {
            let mut inside = self.inside.lock().unwrap();
            inside.land(now);
            let fault = inside.faults.get_mut(&key).and_then(VecDeque::pop_front);
            match fault {
                None | Some(Fault::Unheard | Fault::DiesAfter) => inside.does(&key),
                Some(Fault::LandsLate) => inside.on_their_way.push((now.after(Duration::from_secs(3)), key.clone())),
                Some(Fault::Busy | Fault::Reset | Fault::Refused | Fault::DiesBefore | Fault::Panics) => {}
            }
            fault
        };
        match fault {
            None => Ok(Self::value(&key)),
            Some(Fault::Busy) => Err(Trouble::Busy),
            Some(Fault::Refused) => Err(Trouble::Refused),
            Some(Fault::Reset | Fault::Unheard) => Err(Trouble::Reset),
            Some(Fault::DiesBefore | Fault::DiesAfter | Fault::LandsLate) => std::future::pending().await,
            Some(Fault::Panics) => std::panic::resume_unwind(Box::new("broken")),
        }
    }

    pub(super) async fn verify(&self, key: StepKey) -> Verdict<u64> {
        let key = key.to_string();
        tokio::task::yield_now().await;
        let mut inside = self.inside.lock().unwrap();
        inside.land(self.clock.now());
        let blind = inside.blind.entry(key.clone()).or_default();
        if *blind > 0 {
            *blind -= 1;
            let waits = Verdict::NotYet(Duration::from_secs(5));
            return if blind.is_multiple_of(2) { Verdict::Unknown("nobody answers".to_owned()) } else { waits };
        }
        match inside.done.contains_key(&key) {
            true => Verdict::Happened(Self::value(&key)),
            false => Verdict::DidNotHappen,
        }
    }

    /// What became of an effect, once everything has landed.
    pub(super) fn find(&self, key: &str) -> Option<u64> {
        let mut inside = self.inside.lock().unwrap();
        inside.land(self.clock.now());
        inside.done.contains_key(key).then(|| Self::value(key))
    }

    /// A sleep is reached.
    pub(super) fn lies_down(&self, key: &str) {
        let now = self.clock.now();
        self.inside.lock().unwrap().lay_down.entry(key.to_owned()).or_insert(now);
    }

    /// A sleep has ended, now or before.
    pub(super) fn wakes(&self, key: &str) -> u64 {
        let now = self.clock.now();
        let mut inside = self.inside.lock().unwrap();
        let is_early = inside.lay_down.get(key).is_none_or(|then| now.since(*then) < HOUR);
        inside.woken_early += u32::from(is_early);
        Self::value(key)
    }

    pub(super) fn woken_early(&self) -> u32 {
        self.inside.lock().unwrap().woken_early
    }

    pub(super) fn count(&self, key: &str) -> u64 {
        self.inside.lock().unwrap().done.get(key).copied().unwrap_or_default()
    }
}

impl Inside {
    /// What was on its way until now has arrived.
    fn land(&mut self, now: Timestamp) {
        let (landed, waiting) = std::mem::take(&mut self.on_their_way).into_iter().partition(|(at, _)| *at <= now);
        self.on_their_way = waiting;
        for (_, key) in landed {
            self.does(&key);
        }
    }

    fn does(&mut self, key: &str) {
        let count = self.done.entry(key.to_owned()).or_default();
        *count = if self.once.contains(key) { 1 } else { *count + 1 };
    }
}
