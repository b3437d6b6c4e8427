//! How much of a context budget is used, and what that means.

/// What a context budget comes to. Given by [`Session::budget`](crate::Session::budget).
#[must_use = "a context whose budget is half used is to be handed over or made smaller before it is spent"]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Budget {
    /// Less than half of it is used.
    Fine,
    /// Half of it is used, and was not before: a checkpoint was written.
    HalfUsed,
    /// More than half of it is used, as was told before.
    Low,
    /// All of it is used, or more.
    Spent,
}

impl Budget {
    /// What so much of so much is; `was_past` if half of it was used before.
    pub(crate) fn of(used: u64, total: u64, was_past: bool) -> Self {
        match () {
            () if used >= total => Self::Spent,
            () if !is_past_half(used, total) => Self::Fine,
            () if was_past => Self::Low,
            () => Self::HalfUsed,
        }
    }

    /// Whether half of it is used, or more.
    pub fn is_past_half(self) -> bool {
        self != Self::Fine
    }
}

/// What is known of a context budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// How much is used.
    pub used: u64,
    /// How much there is.
    pub total: u64,
    /// The iteration whose context it is.
    pub iteration: u64,
    /// The record that says so.
    pub seq: u64,
}

impl Used {
    /// The same in percent, rounded down.
    pub fn percent(self) -> u64 {
        u64::try_from(u128::from(self.used) * 100 / u128::from(self.total.max(1))).unwrap_or(u64::MAX)
    }

    /// Whether half of it is used.
    pub fn is_past_half(self) -> bool {
        is_past_half(self.used, self.total)
    }
}

fn is_past_half(used: u64, total: u64) -> bool {
    used >= total.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_is_told_once_on_the_way_up_and_everything_beyond_is_spent() {
        let told = [(0, false), (49, false), (50, false), (51, true), (99, true), (100, true), (250, false)]
            .map(|(used, was_past)| Budget::of(used, 100, was_past));
        use Budget::{Fine, HalfUsed, Low, Spent};
        assert_eq!(told, [Fine, Fine, HalfUsed, Low, Low, Spent, Spent]);
        assert_eq!(Budget::of(1, 3, false), Fine, "one of three is not half");
        assert_eq!(Budget::of(u64::MAX - 1, u64::MAX, true), Low);
        assert_eq!(Used { used: u64::MAX, total: 1, iteration: 1, seq: 1 }.percent(), u64::MAX);
    }
}
