//! A clock that can be set back, sessions that keep to it, and what their logs say.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use durable_runtime::clock::Clock;
use durable_runtime::core::record::Event;
use durable_runtime::core::time::Timestamp;
use durable_runtime::store::Pending;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::{Session, Waits};

pub(super) const HOUR: Duration = Duration::from_secs(3600);

/// A clock that shows what it is told to, and moves by itself in no wait.
#[derive(Clone)]
pub(super) struct HandClock(Arc<AtomicU64>);

impl HandClock {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_789_286_400_000)))
    }

    pub(super) fn forward(&self, by: Duration) {
        self.0.fetch_add(u64::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }

    pub(super) fn back(&self, by: Duration) {
        self.0.fetch_sub(u64::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }

    pub(super) fn set(&self, at: Timestamp) {
        self.0.store(at.as_millis(), Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    fn sleep_until(&self, at: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move {
            while self.now() < at {
                tokio::time::timeout(Duration::from_secs(1), std::future::pending::<()>()).await.unwrap_err();
            }
        })
    }
}

/// The next start, of a process that does this while it waits.
pub(super) async fn start(store: &MemoryStore, clock: &HandClock, waits: Waits) -> Session {
    loop {
        let next = Session::builder("memory").store(store.clone()).clock(clock.clone()).waits(waits);
        match next.open().await {
            Err(error) if error.is_locked() => tokio::task::yield_now().await,
            opened => return opened.unwrap(),
        }
    }
}

/// The same of a process that ends.
pub(super) async fn exiting(store: &MemoryStore, clock: &HandClock) -> Session {
    start(store, clock, Waits::Exit).await
}

/// The same of one that stays.
pub(super) async fn holding(store: &MemoryStore, clock: &HandClock) -> Session {
    start(store, clock, Waits::Hold).await
}

/// How many records of this kind there are.
pub(super) fn count(store: &MemoryStore, action: &str) -> usize {
    store.records().iter().filter(|record| record.event.action() == action).count()
}

/// The instants at which sleeps end, as recorded.
pub(super) fn wakes(store: &MemoryStore) -> Vec<Timestamp> {
    let ends = store.records().into_iter().filter_map(|record| match record.event {
        Event::Wait(wait) => Some(wait.until),
        _ => None,
    });
    ends.collect()
}

/// The error of the session in an error of a workflow.
pub(super) fn of(error: &anyhow::Error) -> &durable_runtime::Error {
    error.downcast_ref().unwrap()
}
