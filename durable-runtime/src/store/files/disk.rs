//! The seam to the disk: one directory, by file name. Everything above it can run on a disk that counts or dies.
#![expect(clippy::disallowed_methods, reason = "the room that touches the disk")]

mod real;

use std::any::Any;
use std::io::{self, ErrorKind};

use uuid::Uuid;

use super::guard::Access;
use super::layout::temporary;
use crate::store::Pending;
pub use real::RealDisk;
pub(super) use real::identity;
pub(crate) use real::{sessions_below, sessions_under};

/// What a files store does to its directory. Files are named by their name in it, those of an inner directory by `inner/name`.
///
/// No method follows a symbolic link, and none touches what is not a regular file with one name.
pub trait Disk: Send + Sync + 'static {
    /// Where the directory is, for messages.
    fn place(&self) -> String;

    /// Makes the directory, its owner's alone, if it is missing.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be made, or is no directory.
    fn create_dir(&self) -> io::Result<()>;

    /// Makes an inner directory, its owner's alone, if it is missing.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be made, or is no directory.
    fn create_inner(&self, name: &str) -> io::Result<()>;

    /// The names in an inner directory, in order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is none.
    fn names_inner(&self, name: &str) -> io::Result<Vec<String>>;

    /// Makes the names in an inner directory durable.
    ///
    /// # Errors
    ///
    /// Fails if the disk does.
    fn sync_inner(&self, name: &str) -> io::Result<()>;

    /// Makes the directory's own name durable.
    ///
    /// # Errors
    ///
    /// Fails if the disk does.
    fn sync_parent(&self) -> io::Result<()>;

    /// Takes the lock of the file `name`, or of the directory if `name` is `.`; `None` if somebody else has it.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened, or another one took its name meanwhile.
    fn lock(&self, name: &str) -> io::Result<Option<Guard>>;

    /// Whether the process with this id runs, as far as can be seen from here.
    fn runs(&self, pid: u32) -> bool {
        let _ = pid;
        true
    }

    /// Every lock that the system knows of, in its own words; `None` where it does not tell.
    fn locks(&self) -> Option<String> {
        None
    }

    /// Who has the lock of this file now that `pid` has taken.
    fn heir(&self, pid: u32, lock: &Identity) -> u32 {
        let _ = lock;
        pid
    }

    /// The kind of file system, if it is one of another machine.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be looked at.
    fn network(&self) -> io::Result<Option<String>> {
        Ok(None)
    }

    /// What tells the file from every copy of it, also after the machine was started anew: its number, and when it was made.
    /// `None` where that is not known.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is none.
    fn birth(&self, name: &str) -> io::Result<Option<String>> {
        let _ = name;
        Ok(None)
    }

    /// As which user this process acts; `None` where that is not known, and nobody is told from another.
    fn user(&self) -> Option<u32> {
        None
    }

    /// Whose the file is, and what others may do with it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is none.
    fn access(&self, name: &str) -> io::Result<Access> {
        let _ = name;
        Err(ErrorKind::NotFound.into())
    }

    /// Lets nobody but its owner do anything with the file any more.
    ///
    /// # Errors
    ///
    /// Fails if it is not ours.
    fn shut_out(&self, name: &str) -> io::Result<()> {
        let _ = name;
        Ok(())
    }

    /// Which file the name stands for now.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is none.
    fn identity(&self, name: &str) -> io::Result<Identity>;

    /// The whole content.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is no such file.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;

    /// What stands from `offset` on: `len` bytes, or all that is left.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is no such file.
    fn read_at(&self, name: &str, offset: u64, len: usize) -> io::Result<Vec<u8>>;

    /// Makes a file that is its owner's alone, with these bytes.
    ///
    /// # Errors
    ///
    /// Fails if there is one.
    fn create(&self, name: &str, bytes: &[u8]) -> io::Result<()>;

    /// One write at the end. The descriptor is kept until [`close`](Disk::close): an error of the disk is reported to
    /// the descriptors that were open when it happened.
    ///
    /// # Errors
    ///
    /// Fails if not all bytes were written, or if another file has taken the name since the first append.
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()>;

    /// One write over what stands at `offset`.
    ///
    /// # Errors
    ///
    /// Fails if not all bytes were written.
    fn write_at(&self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts off everything from `len` on.
    ///
    /// # Errors
    ///
    /// Fails if the disk does.
    fn truncate(&self, name: &str, len: u64) -> io::Result<()>;

    /// Makes the content durable (`fdatasync`).
    ///
    /// # Errors
    ///
    /// Fails if the disk does; what it holds is then not known.
    fn sync(&self, name: &str) -> io::Result<()>;

    /// Makes the names in the directory durable.
    ///
    /// # Errors
    ///
    /// Fails if the disk does.
    fn sync_dir(&self) -> io::Result<()>;

    /// Gives the file `from` the name `to`, in the place of a file that has it.
    ///
    /// # Errors
    ///
    /// Fails if the disk does.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes the file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFound`] if there is none.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Lets go of the descriptors that were kept.
    fn close(&self);

    /// What is awaited around each piece of work. `None` for a disk whose operations may block: they get a thread of
    /// their own. A disk in memory gives a future instead: its operations run where they are called.
    fn turn(&self) -> Option<Pending<'_, ()>> {
        None
    }

    /// An id for a session that has none yet.
    fn new_id(&self) -> Uuid {
        Uuid::new_v4()
    }
}

/// Holds a lock until it is dropped.
pub type Guard = Box<dyn Any + Send + Sync>;

/// Tells one file from another that has taken its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its length: a number is given again to a later file.
    pub len: u64,
}

impl Identity {
    /// Whether both name one file, whatever its length was.
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// Whether a new content is synced before it gets its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replace {
    /// After a power cut the file may be empty.
    Unsynced,
    /// After a power cut the file is the old one or the new one.
    Synced,
}

/// Puts a new content in the place of a file: readers see the old one or the new one, never half of one.
pub(super) fn replace(disk: &dyn Disk, name: &str, bytes: &[u8], how: Replace) -> io::Result<()> {
    let temporary = temporary(name);
    remove_leftover(disk, &temporary)?;
    disk.create(&temporary, bytes)?;
    if how == Replace::Synced {
        disk.sync(&temporary)?;
    }
    disk.rename(&temporary, name)
}

/// Removes what a kill has left behind, if there is something.
pub(super) fn remove_leftover(disk: &dyn Disk, name: &str) -> io::Result<()> {
    disk.remove(name).or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// `None` for what is not there; every other error stays one.
pub(super) fn if_exists<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
