//! What stays the same in all stories of a lab.

use std::time::Duration;

use crate::testing::effects::{Effects, Ledger};

/// How worlds are made, and what may be done with them.
pub(crate) struct Scene<'a, W> {
    pub(crate) name: &'a str,
    pub(crate) world: &'a dyn Fn(Effects) -> W,
    /// Whether a world keeps nothing to itself, so that one can be made anew in the middle of a story.
    pub(crate) forks: bool,
    /// Whether it is reached over sockets.
    pub(crate) is_online: bool,
    pub(crate) lands_within: Option<Duration>,
}

impl<W> Scene<'_, W> {
    /// A world to which nothing was done.
    pub(crate) fn ledger(&self) -> Ledger {
        Ledger::landing_within(self.lands_within)
    }
}
