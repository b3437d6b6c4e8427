//! The lock: what proves that the last owner is gone. It is the kernel's, so no age and no process id decides.
#![expect(clippy::disallowed_methods, reason = "the lock compares a descriptor with what its name stands for now")]

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use super::disk::identity;

/// Takes the lock of `file`, which was opened at `path`; `None` if somebody else has it.
///
/// A file that was replaced between open and lock is locked by its old owner only, so two could hold the session.
pub(super) fn take(file: File, path: &Path) -> io::Result<Option<File>> {
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let (held, named) = (identity(&file.metadata()?), identity(&fs::symlink_metadata(path)?));
    if held.is_same_file(&named) {
        Ok(Some(file))
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
    fn a_lock_file_that_was_replaced_does_not_lock() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let file = File::create(&path).unwrap();
        fs::rename(&path, directory.path().join("old")).unwrap();
        File::create(&path).unwrap();
        assert!(take(file, &path).is_err());
    }
}
