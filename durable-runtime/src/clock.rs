//! The one room that reads the clock.

use std::time::{Duration, SystemTime};

use crate::core::time::Timestamp;
use crate::store::Pending;

/// What time it is, and how to wait.
///
/// Set by [`SessionBuilder::clock`](crate::SessionBuilder::clock); a test sets one that costs no time.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock.
    fn now(&self) -> Timestamp;

    /// Waits until the wall clock shows at least `at`.
    fn sleep_until(&self, at: Timestamp) -> Pending<'_, ()>;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one room that reads the clock")]
    fn now(&self) -> Timestamp {
        SystemTime::now().into()
    }

    fn sleep_until(&self, at: Timestamp) -> Pending<'_, ()> {
        Box::pin(async move {
            // The wall clock may be set while this waits: look again, and never trust one long sleep.
            loop {
                let left = at.since(self.now());
                if left.is_zero() {
                    return;
                }
                pause(left.min(LONGEST_SLEEP)).await;
            }
        })
    }
}

const LONGEST_SLEEP: Duration = Duration::from_secs(60);

/// Lets a future take `length` and no longer: then it is dropped.
pub(crate) async fn limit<F: Future>(length: Duration, future: F) -> Option<F::Output> {
    tokio::time::timeout(length, future).await.ok()
}

/// Lets a little time pass, by no clock that a test could set: for what may happen a little later or not at all.
#[expect(clippy::disallowed_methods, reason = "the one room that waits")]
pub(crate) async fn pause(length: Duration) {
    tokio::time::sleep(length).await;
}
