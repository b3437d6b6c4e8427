//! One directory of a machine, as a [`Disk`].

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use super::Machine;
use super::control::Verdict;
use super::storage::Storage;
use super::trace::Traced;
use crate::store::Pending;
use crate::store::files::{Disk, Guard, Identity, Operation};

/// A directory on the disk of a machine that can be killed.
#[derive(Clone, Debug)]
pub(crate) struct SimulatedDisk {
    machine: Arc<Machine>,
    directory: String,
}

impl SimulatedDisk {
    pub(crate) fn new(machine: &Arc<Machine>, directory: &str) -> Self {
        Self { machine: Arc::clone(machine), directory: directory.to_owned() }
    }

    /// Does something to the disk, with these bytes: all of them, the first half, or nothing.
    fn change(
        &self,
        operation: Operation,
        name: &str,
        bytes: &[u8],
        act: impl Fn(&mut Storage, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.begin(operation, name, bytes) {
            Verdict::GoesOn => act(&mut self.machine.storage(), bytes),
            Verdict::Dies | Verdict::Dead => Err(dead()),
            Verdict::FailsHalfWay if !bytes.is_empty() => {
                act(&mut self.machine.storage(), &bytes[..bytes.len() / 2])?;
                Err(io::Error::from_raw_os_error(libc::ENOSPC))
            }
            Verdict::Fails | Verdict::FailsHalfWay => Err(io::Error::from_raw_os_error(libc::EIO)),
        }
    }

    fn look<T>(&self, operation: Operation, name: &str, act: impl FnOnce(&Storage) -> io::Result<T>) -> io::Result<T> {
        match self.begin(operation, name, &[]) {
            Verdict::GoesOn => act(&self.machine.storage()),
            Verdict::Dies | Verdict::Dead => Err(dead()),
            Verdict::Fails | Verdict::FailsHalfWay => Err(io::Error::from_raw_os_error(libc::EIO)),
        }
    }

    fn begin(&self, operation: Operation, name: &str, bytes: &[u8]) -> Verdict {
        let (number, verdict) = self.machine.control.operation(operation);
        if verdict != Verdict::Dead
            && let Some(trace) = self.machine.trace().as_mut()
        {
            let written = if verdict == Verdict::GoesOn { bytes } else { &[] };
            trace.push(Traced::operation(number, operation, self.path(name), written));
        }
        verdict
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.directory)
    }

    /// The directory that a file is in, and its name there.
    fn place_of<'a>(&self, name: &'a str) -> (String, &'a str) {
        match name.rsplit_once('/') {
            Some((inner, name)) => (self.path(inner), name),
            None => (self.directory.clone(), name),
        }
    }
}

fn dead() -> io::Error {
    io::Error::other("the process is dead")
}

impl Disk for SimulatedDisk {
    fn place(&self) -> String {
        self.directory.clone()
    }

    fn create_dir(&self) -> io::Result<()> {
        let make = |storage: &mut Storage, _: &[u8]| {
            storage.make_directory(&self.directory);
            Ok(())
        };
        self.change(Operation::CreateDir, ".", &[], make)
    }

    fn create_inner(&self, name: &str) -> io::Result<()> {
        self.change(Operation::CreateDir, name, &[], |storage, _| {
            storage.make_directory(&self.path(name));
            Ok(())
        })
    }

    fn names_inner(&self, name: &str) -> io::Result<Vec<String>> {
        self.look(Operation::Read, name, |storage| storage.names(&self.path(name)))
    }

    fn sync_inner(&self, name: &str) -> io::Result<()> {
        self.change(Operation::SyncDir, name, &[], |storage, _| storage.sync_names(&self.path(name)))
    }

    fn sync_parent(&self) -> io::Result<()> {
        self.change(Operation::SyncParent, ".", &[], |storage, _| storage.sync_parent(&self.directory))
    }

    fn lock(&self, name: &str) -> io::Result<Option<Guard>> {
        let (directory, _) = self.place_of(name);
        self.look(Operation::Lock, name, |storage| {
            if name != "." {
                storage.look(&directory, name)?;
            }
            Ok(())
        })?;
        let locks = self.machine.locks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(locks.take(self.path(name)))
    }

    fn identity(&self, name: &str) -> io::Result<Identity> {
        let (directory, file) = self.place_of(name);
        let (inode, len) = self.look(Operation::Identity, name, |storage| storage.look(&directory, file))?;
        Ok(Identity { device: 1, inode: inode as u64, len: len as u64 })
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let (directory, file) = self.place_of(name);
        self.look(Operation::Read, name, |storage| Ok(storage.read(&directory, file)?.to_vec()))
    }

    fn read_at(&self, name: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let (directory, file) = self.place_of(name);
        let from = usize::try_from(offset).map_err(io::Error::other)?;
        self.look(Operation::Read, name, |storage| {
            let bytes = storage.read(&directory, file)?;
            let from = from.min(bytes.len());
            Ok(bytes[from..bytes.len().min(from + len)].to_vec())
        })
    }

    fn create(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (directory, file) = self.place_of(name);
        self.change(Operation::Create, name, bytes, |storage, bytes| storage.create(&directory, file, bytes))
    }

    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.change(Operation::Append, name, bytes, |storage, bytes| storage.append(&self.directory, name, bytes))
    }

    fn write_at(&self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        self.change(Operation::WriteAt, name, bytes, |storage, bytes| {
            storage.write(&self.directory, name, offset, bytes)
        })
    }

    fn truncate(&self, name: &str, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).map_err(io::Error::other)?;
        self.change(Operation::Truncate, name, &[], |storage, _| storage.truncate(&self.directory, name, len))
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        let (directory, file) = self.place_of(name);
        match self.begin(Operation::Sync, name, &[]) {
            Verdict::GoesOn => self.machine.storage().sync(&directory, file),
            Verdict::Dies | Verdict::Dead => Err(dead()),
            Verdict::Fails | Verdict::FailsHalfWay => {
                self.machine.storage().forget(&directory, file)?;
                Err(io::Error::from_raw_os_error(libc::EIO))
            }
        }
    }

    fn sync_dir(&self) -> io::Result<()> {
        self.change(Operation::SyncDir, ".", &[], |storage, _| storage.sync_names(&self.directory))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let ((directory, from), (_, name)) = (self.place_of(from), self.place_of(to));
        self.change(Operation::Rename, to, &[], |storage, _| storage.rename(&directory, from, name))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let (directory, file) = self.place_of(name);
        self.change(Operation::Remove, name, &[], |storage, _| storage.remove(&directory, file))
    }

    fn close(&self) {}

    fn turn(&self) -> Option<Pending<'_, ()>> {
        Some(Box::pin(self.machine.control.turn()))
    }

    fn new_id(&self) -> Uuid {
        Uuid::new_v5(&Uuid::NAMESPACE_OID, self.directory.as_bytes())
    }
}

/// The locks that the running process holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Locks(Arc<Mutex<BTreeSet<String>>>);

struct Lock(Locks, String);

impl Locks {
    fn take(&self, path: String) -> Option<Guard> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.insert(path.clone()).then(|| Box::new(Lock(self.clone(), path)) as _)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}
