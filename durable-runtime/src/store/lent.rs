//! A lock that programs inherit.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The lock of a session while programs that this process starts inherit it. Given by
/// [`Session::lend_lock`](crate::Session::lend_lock).
///
/// Dropped, it ends the lending and nothing else: who has inherited the lock keeps it.
#[must_use = "programs inherit the lock only as long as this is kept"]
#[derive(Debug, Default)]
pub struct LentLock {
    copies: Vec<OwnedFd>,
    lent: Vec<Arc<AtomicBool>>,
}

impl LentLock {
    /// Says that what the programs were started for is over, whatever of them still runs: the end of this session gives the
    /// lock free, also for those.
    pub fn take_back(self) {
        self.lent.iter().for_each(|is_lent| is_lent.store(false, Ordering::Release));
    }

    /// Adds a copy of a descriptor, and the flag that says that it was lent.
    pub(crate) fn add(&mut self, (copy, is_lent): (OwnedFd, Arc<AtomicBool>)) {
        self.copies.push(copy);
        self.lent.push(is_lent);
    }
}
