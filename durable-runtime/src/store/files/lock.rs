//! The lock: what proves that the last owner is gone. It is the kernel's, so no age and no process id decides.
#![expect(clippy::disallowed_methods, reason = "the lock compares a descriptor with what its name stands for now")]

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::disk::identity;

/// A lock that is held.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    /// The process that took it.
    process: u32,
    /// Whether a program has inherited it that may outlive this process.
    is_lent: Arc<AtomicBool>,
}

impl Lock {
    /// A copy of the descriptor that programs inherit, and what says that none of them matters any more. The lock belongs to
    /// the open file and not to a descriptor: so it is held until the last copy is closed.
    pub(super) fn lend(&self) -> io::Result<(OwnedFd, Arc<AtomicBool>)> {
        let copy = rustix::io::dup(&self.file)?;
        self.is_lent.store(true, Ordering::Release);
        Ok((copy, Arc::clone(&self.is_lent)))
    }
}

impl Drop for Lock {
    /// Gives the lock back by word, and not only by closing the file: a process that is being started by another thread
    /// has a copy of the descriptor until it runs its own program, and would hold the session with it.
    ///
    /// A forked child that drops its own copy gives nothing back: the lock is one for both, and its parent's. Nor is one given
    /// back that a program has inherited which may still act: it goes with that program.
    fn drop(&mut self) {
        if self.process != std::process::id() || self.is_lent.load(Ordering::Acquire) {
            return;
        }
        if let Err(error) = self.file.unlock() {
            tracing::debug!(%error, "lock not given back; it goes with its last descriptor");
        }
    }
}

/// Takes the lock of `file`, which was opened at `path`; `None` if somebody else has it.
///
/// A file that was replaced between open and lock is locked by its old owner only, so two could hold the session.
pub(super) fn take(file: File, path: &Path) -> io::Result<Option<Lock>> {
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let lock = Lock { file, process: std::process::id(), is_lent: Arc::default() };
    let (held, named) = (identity(&lock.file.metadata()?), identity(&fs::symlink_metadata(path)?));
    if held.is_same_file(&named) {
        Ok(Some(lock))
    } else {
        Err(io::Error::other("another file took its place while it was being locked; start again"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_is_refused_and_free_after_the_drop() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let open = || File::create(&path).unwrap();
        let held = take(open(), &path).unwrap();
        assert!(held.is_some());
        assert!(take(open(), &path).unwrap().is_none());
        drop(held);
        assert!(take(open(), &path).unwrap().is_some());
    }

    #[test]
    fn a_copy_of_the_descriptor_does_not_hold_the_lock_longer_than_its_owner() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let open = || File::create(&path).unwrap();
        let held = take(open(), &path).unwrap().unwrap();
        let copy = held.file.try_clone().unwrap();
        drop(held);
        assert!(take(open(), &path).unwrap().is_some());
        drop(copy);
    }

    #[test]
    fn a_lock_that_was_lent_is_held_until_its_last_copy_is_closed_or_it_is_taken_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let open = || File::create(&path).unwrap();
        let held = take(open(), &path).unwrap().unwrap();
        let (copy, _) = held.lend().unwrap();
        drop(held);
        assert!(take(open(), &path).unwrap().is_none(), "the copy holds it");
        drop(copy);
        let held = take(open(), &path).unwrap().unwrap();
        let (copy, is_lent) = held.lend().unwrap();
        is_lent.store(false, Ordering::Release);
        drop(held);
        assert!(take(open(), &path).unwrap().is_some(), "it was taken back");
        drop(copy);
    }

    #[test]
    fn a_lock_file_that_was_replaced_does_not_lock() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let file = File::create(&path).unwrap();
        fs::rename(&path, directory.path().join("old")).unwrap();
        File::create(&path).unwrap();
        assert!(take(file, &path).is_err());
    }
}
