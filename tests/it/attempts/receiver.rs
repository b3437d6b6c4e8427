//! A receiver that answers as it is told to, and counts what it has done.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;
use durable_runtime::{Failure, Session};

#[derive(Debug)]
pub(super) enum Refusal {
    /// It did not do it, and will not.
    NoSuchAccount,
    /// It did not do it, and may later.
    Busy(Option<Duration>),
    /// Nobody knows.
    Reset,
    /// A session that goes no further.
    Session(durable_runtime::Error),
}

impl Refusal {
    pub(super) fn classify(&self) -> Failure {
        match self {
            Self::NoSuchAccount => {
                Failure::rejected().with_code(402).with_payload("{\"api_key\":\"k-1\",\"why\":\"no account\"}")
            }
            Self::Busy(None) => Failure::retry(),
            Self::Busy(Some(wait)) => Failure::retry_after(*wait),
            Self::Reset | Self::Session(_) => Failure::unknown(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchAccount => f.write_str("no such account"),
            Self::Busy(_) => f.write_str("busy"),
            Self::Reset => f.write_str("connection reset"),
            Self::Session(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<durable_runtime::Error> for Refusal {
    fn from(error: durable_runtime::Error) -> Self {
        Self::Session(error)
    }
}

/// What it does with one request.
pub(super) enum Answer {
    /// Does it.
    Does,
    /// Does it, and its answer is lost.
    DoesUnheard,
    /// Does nothing, and says so.
    Refuses(Refusal),
    /// Does nothing, and never answers.
    Hangs,
    /// Dies in the middle.
    Panics,
}

#[derive(Default)]
pub(super) struct Receiver {
    answers: Mutex<VecDeque<Answer>>,
    asked: Mutex<u32>,
    done: Mutex<u32>,
}

impl Receiver {
    /// It answers so, and then does what it is asked for.
    pub(super) fn that(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), ..Self::default() }
    }

    pub(super) fn refusing(refusal: fn() -> Refusal, times: usize) -> Self {
        Self::that((0..times).map(|_| Answer::Refuses(refusal())))
    }

    pub(super) async fn ask(&self) -> Result<u32, Refusal> {
        *self.asked.lock().unwrap() += 1;
        let answer = self.answers.lock().unwrap().pop_front().unwrap_or(Answer::Does);
        match answer {
            Answer::Does => Ok(self.act()),
            Answer::DoesUnheard => {
                self.act();
                Err(Refusal::Reset)
            }
            Answer::Refuses(refusal) => Err(refusal),
            Answer::Hangs => std::future::pending().await,
            Answer::Panics => panic!("the receiver's library is broken"),
        }
    }

    fn act(&self) -> u32 {
        let mut done = self.done.lock().unwrap();
        *done += 1;
        *done
    }

    pub(super) fn find(&self) -> Option<u32> {
        Some(self.done()).filter(|done| *done > 0)
    }

    /// How often it was asked.
    pub(super) fn asked(&self) -> u32 {
        *self.asked.lock().unwrap()
    }

    /// How often it did it.
    pub(super) fn done(&self) -> u32 {
        *self.done.lock().unwrap()
    }
}

/// A session whose clock stands still but for waits.
pub(super) async fn open(store: &MemoryStore, clock: &ManualClock) -> Session {
    loop {
        match Session::builder("memory").store(store.clone()).clock(clock.clone()).open().await {
            Err(error) if error.is_locked() => tokio::task::yield_now().await,
            opened => return opened.unwrap(),
        }
    }
}

/// A process that is killed once nothing in it moves any more. Time must be paused.
pub(super) async fn killed<T>(work: impl Future<Output = T>) {
    assert!(tokio::time::timeout(Duration::from_secs(60), work).await.is_err(), "it was to hang");
}
