//! A step that gives a value, in a first start and in a replay.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use durable_runtime::Error;
use durable_runtime::core::record::Event;
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What one step gives, and what became of it.
pub(super) struct Trial<T> {
    make: fn() -> T,
    calls: AtomicUsize,
    seen: Mutex<Vec<T>>,
}

/// What became of a value.
pub(super) struct Outcome<T> {
    /// The value that the first run saw, and the one of the replay; or why there is none, in each.
    pub(super) seen: Result<[T; 2], [String; 2]>,
    /// What stands in the log.
    pub(super) stored: Option<String>,
}

#[durable_workflow(goal = "keep a value")]
pub(super) async fn keep<T: Serialize + DeserializeOwned>(
    session: &Session,
    #[resource] trial: &Trial<T>,
) -> anyhow::Result<()> {
    #[side_effect(key = "give", in_doubt = "ada")]
    let given = trial.give();
    trial.take(given)
}

impl<T: Serialize + DeserializeOwned> Trial<T> {
    pub(super) fn of(make: fn() -> T) -> Self {
        Self { make, calls: AtomicUsize::new(0), seen: Mutex::default() }
    }

    fn give(&self) -> T {
        self.calls.fetch_add(1, Ordering::Relaxed);
        (self.make)()
    }

    /// Ends the first start before the run has, so that the second one replays the step.
    fn take(&self, given: T) -> anyhow::Result<()> {
        let mut seen = self.seen.lock().unwrap();
        seen.push(given);
        anyhow::ensure!(seen.len() > 1, "the first start ends here");
        Ok(())
    }

    /// How often the step ran.
    pub(super) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// The values that the workflow has seen.
    pub(super) fn seen(self) -> Vec<T> {
        self.seen.into_inner().unwrap()
    }

    /// Runs two starts in this store.
    pub(super) async fn run(self, store: &MemoryStore) -> Outcome<T> {
        let first = keep(&open(store).await, &self).await;
        let second = keep(&open(store).await, &self).await;
        assert_eq!(self.calls(), 1, "{first:?} {second:?}");
        let stored = store.records().into_iter().find_map(|record| match record.event {
            Event::Done(done) => done.value,
            _ => None,
        });
        let seen = match <[T; 2]>::try_from(self.seen.into_inner().unwrap()) {
            Ok(seen) => Ok(seen),
            Err(_) => Err([first, second].map(|result| not_storable(result.unwrap_err()))),
        };
        Outcome { seen, stored: stored.map(|stored| stored.get().to_owned()) }
    }
}

/// Why a value could not be stored, from the words of the error.
fn not_storable(error: anyhow::Error) -> String {
    let text = error.downcast::<Error>().unwrap().to_string();
    let why = text.strip_prefix("step `keep//give` happened, but its result could not be stored (");
    let (why, _) = why.and_then(|why| why.split_once("); it will not run again")).unwrap_or_else(|| panic!("{text}"));
    why.to_owned()
}

pub(super) async fn open(store: &MemoryStore) -> Session {
    Session::builder("unused").store(store.clone()).open().await.unwrap()
}
