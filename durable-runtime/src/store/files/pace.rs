//! How long the disk takes for a sync: who waits for a quick one where it stands saves two changes of threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A sync up to here is a quick one. What runs beside it in the same task is held up no longer than that.
const QUICK: Duration = Duration::from_millis(1);

/// What the last sync has taken, in microseconds; 0 before the first.
#[derive(Debug, Default)]
pub(super) struct Pace(AtomicU64);

impl Pace {
    /// Does a sync, and notes how long it took.
    #[expect(clippy::disallowed_methods, reason = "how the disk fares, on which nothing that is recorded depends")]
    pub(super) fn of<T>(&self, sync: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = sync();
        self.note(begun.elapsed());
        done
    }

    /// Whether the next one is likely to be a quick one.
    pub(super) fn is_quick(&self) -> bool {
        let last = self.0.load(Ordering::Relaxed);
        last > 0 && Duration::from_micros(last) <= QUICK
    }

    fn note(&self, took: Duration) {
        self.0.store(u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_counts_as_quick_after_a_quick_sync_and_until_a_slow_one() {
        let pace = Pace::default();
        assert!(!pace.is_quick(), "nothing is known of it");
        for (took, is_quick) in [(QUICK, true), (QUICK * 2, false), (Duration::ZERO, true), (Duration::MAX, false)] {
            pace.note(took);
            assert_eq!(pace.is_quick(), is_quick, "{took:?}");
        }
        assert_eq!(pace.of(|| 7), 7);
        assert!(pace.is_quick());
    }
}
