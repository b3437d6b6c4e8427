//! A clock that is set by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::Clock;
use crate::core::time::Timestamp;
use crate::store::Pending;

/// A clock that stands still, and jumps to the end of every wait. A handle: clones show the same time.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    /// A clock that shows `now`.
    pub fn at(now: Timestamp) -> Self {
        Self(Arc::new(AtomicU64::new(now.as_millis())))
    }

    /// Puts the clock forward.
    pub fn advance(&self, by: Duration) {
        let now = self.now().after(by);
        self.0.fetch_max(now.as_millis(), Ordering::SeqCst);
    }
}

impl Default for ManualClock {
    /// 2026-09-13, eight in the morning.
    fn default() -> Self {
        Self::at(Timestamp::from_millis(1_789_286_400_000))
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    fn sleep_until(&self, at: Timestamp) -> Pending<'_, ()> {
        self.0.fetch_max(at.as_millis(), Ordering::SeqCst);
        Box::pin(std::future::ready(()))
    }
}
