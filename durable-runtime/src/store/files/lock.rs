//! The lock: what proves that the last owner is gone. It is the kernel's, so no age and no process id decides.
#![expect(clippy::disallowed_methods, reason = "the lock compares a descriptor with what its name stands for now")]

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::disk::{Identity, identity};

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

/// Which process holds a session, as far as it can be seen without taking its lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holder {
    /// This one has taken it, and it, or a process that it has left its locks to, has it still.
    Process(u32),
    /// None that can be seen from here. One in another container may hold it all the same.
    NoneSeen,
    /// The system does not tell.
    Unknown,
}

/// Who holds both files. `locks` is what Linux says in `/proc/locks`: there the device of a file may be another than elsewhere,
/// so each is known by its number, and by the other that is locked on the same device.
pub(super) fn holder(locks: &str, files: [&Identity; 2]) -> Holder {
    let taken = |file: &Identity| {
        let inode = file.inode.to_string();
        let line = move |line: &str| {
            let mut words = line.split_ascii_whitespace().skip(1);
            let is_lock = words.next() == Some("FLOCK") && words.nth(1) == Some("WRITE");
            let (pid, place) = (words.next()?, words.next()?);
            let (device, number) = place.rsplit_once(':')?;
            (is_lock && number == inode).then(|| (pid.to_owned(), device.to_owned()))
        };
        locks.lines().filter_map(line).collect::<Vec<_>>()
    };
    let [one, other] = files.map(taken);
    let both = other.iter().find(|(_, device)| one.iter().any(|(_, other)| device == other));
    both.and_then(|(pid, _)| pid.parse().ok()).map_or(Holder::NoneSeen, Holder::Process)
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

    const LOCKS: &str = "\
1: POSIX  ADVISORY  WRITE 11 fe:01:7 0 EOF
2: FLOCK  ADVISORY  WRITE 12 fe:01:7 0 EOF
2: -> FLOCK  ADVISORY  WRITE 13 fe:01:7 0 EOF
3: FLOCK  ADVISORY  WRITE 12 fe:01:8 0 EOF
4: FLOCK  ADVISORY  WRITE 14 fe:02:9 0 EOF
";

    #[test]
    fn who_has_locked_both_files_holds_the_session() {
        let file = |inode| Identity { device: 0, inode, len: 0 };
        let of = |one, other| holder(LOCKS, [&file(one), &file(other)]);
        assert_eq!(of(7, 8), Holder::Process(12));
        assert_eq!([of(7, 9), of(8, 5), of(1, 2)], [Holder::NoneSeen; 3]);
    }

    #[test]
    fn the_system_tells_who_holds_a_session() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let file = File::create(&path).unwrap();
        let identities = [path.as_path(), directory.path()].map(|path| identity(&fs::metadata(path).unwrap()));
        let Ok(free) = fs::read_to_string("/proc/locks") else {
            return eprintln!("not measured here: no list of locks");
        };
        assert_eq!(holder(&free, identities.each_ref()), Holder::NoneSeen);
        let _file = take(file, &path).unwrap().unwrap();
        let _directory = take(File::open(directory.path()).unwrap(), directory.path()).unwrap().unwrap();
        let taken = fs::read_to_string("/proc/locks").unwrap();
        assert_eq!(holder(&taken, identities.each_ref()), Holder::Process(std::process::id()));
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
