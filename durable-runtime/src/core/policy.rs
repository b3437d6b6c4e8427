//! How often a step is tried, how long each attempt may take, and how long the waits between them are.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

/// What a step says of its attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How many attempts may fail before the run stops. A start after that has as many again.
    pub attempts: u32,
    /// The waits between them.
    pub backoff: Backoff,
    /// How long one attempt may take.
    pub timeout: Option<Limit>,
    /// How long the receiver of an idempotent step remembers its token.
    pub within: Option<Duration>,
}

/// The waits between the attempts of a step: each twice as long as the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The first wait.
    pub first: Duration,
    /// The longest.
    pub longest: Duration,
    /// Whether a wait is shortened by up to a half, by another part for each step.
    pub jitter: bool,
}

/// How long an attempt may take, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How long.
    pub length: Duration,
    /// Whose argument it is: the step's own counts before the workflow's.
    pub of: Whose,
}

/// See [`Limit::of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The step's.
    Step,
    /// The workflow's.
    Workflow,
}

impl Policy {
    /// One attempt, as long as it takes.
    pub const ONCE: Self = Self { attempts: 1, backoff: Backoff::USUAL, timeout: None, within: None };
}

impl Backoff {
    /// From 200 ms to 30 s.
    pub const USUAL: Self = Self { first: Duration::from_millis(200), longest: Duration::from_secs(30), jitter: false };

    /// The wait after this many failures in a row. `seed` makes the jitter of one step another than that of the next, and
    /// the same for who computes it again.
    pub fn wait(&self, failures: u32, seed: Uuid) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        let full = self.first.saturating_mul(1 << doublings).min(self.longest);
        if !self.jitter {
            return full;
        }
        let share = Uuid::new_v5(&seed, &failures.to_le_bytes()).as_u128() % 1024;
        full / 2 + full / 2 * u32::try_from(share).unwrap_or_default() / 1024
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = match self.of {
            Whose::Step => "step",
            Whose::Workflow => "workflow",
        };
        write!(f, "the {whose}'s `timeout` of {}", humantime::format_duration(self.length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: Uuid = Uuid::nil();

    fn backoff(jitter: bool) -> Backoff {
        Backoff { jitter, ..Backoff::USUAL }
    }

    #[test]
    fn each_wait_is_twice_the_one_before_up_to_the_longest() {
        let waits: Vec<_> = (1..=10).map(|failures| backoff(false).wait(failures, SEED).as_millis()).collect();
        assert_eq!(waits, [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
        assert_eq!(backoff(false).wait(u32::MAX, SEED), Duration::from_secs(30));
    }

    #[test]
    fn jitter_shortens_a_wait_by_at_most_a_half_and_by_another_part_for_each_step() {
        let waits: Vec<_> = (0..100_u128).map(|step| backoff(true).wait(4, Uuid::from_u128(step))).collect();
        let full = backoff(false).wait(4, SEED);
        assert!(waits.iter().all(|wait| (full / 2..=full).contains(wait)), "{waits:?}");
        let different: std::collections::HashSet<_> = waits.iter().collect();
        assert!(different.len() > 50, "{different:?}");
        assert_eq!(backoff(true).wait(4, SEED), backoff(true).wait(4, SEED), "the same for who computes it again");
    }
}
