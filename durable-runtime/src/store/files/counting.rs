//! A disk that counts what is done to it, and tells before it happens.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use super::disk::{Disk, Guard, Identity};
use super::guard::Access;
use super::layout::DIRECTORY;
use crate::store::Pending;

/// What can be done to a disk; see the methods of [`Disk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is the method of its name")]
pub enum Operation {
    CreateDir,
    SyncParent,
    Lock,
    Identity,
    Read,
    Create,
    Append,
    WriteAt,
    Truncate,
    Sync,
    SyncDir,
    Rename,
    Remove,
}

/// One operation, just before it happens.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// How many came before it.
    pub number: u64,
    /// What is done.
    pub operation: Operation,
    /// To which file; `.` is the directory.
    pub file: &'a str,
}

/// Counts the operations on another disk, by kind and file. Clones count together.
///
/// It does not tell where a session stands, so that a copy of it opens anywhere.
pub struct CountingDisk<D> {
    disk: Arc<D>,
    counts: Arc<Mutex<Counts>>,
    before: Arc<dyn Fn(Call<'_>) -> io::Result<()> + Send + Sync>,
    id: Option<Uuid>,
    is_inline: bool,
    network: Option<&'static str>,
}

#[derive(Debug, Default)]
struct Counts {
    total: u64,
    each: BTreeMap<(Operation, String), u64>,
}

impl<D: Disk> CountingDisk<D> {
    /// Counts what is done to `disk`.
    pub fn new(disk: D) -> Self {
        Self::calling(disk, |_| Ok(()))
    }

    /// The same, and calls `before` before each operation: to end the process there, or to give an error in its place.
    pub fn calling(disk: D, before: impl Fn(Call<'_>) -> io::Result<()> + Send + Sync + 'static) -> Self {
        let before: Arc<dyn Fn(Call<'_>) -> io::Result<()> + Send + Sync> = Arc::new(before);
        Self { disk: Arc::new(disk), counts: Arc::default(), before, id: None, is_inline: false, network: None }
    }

    /// A new session on it has this id, and with it the same tokens in every trial.
    pub(crate) fn with_id(self, id: Uuid) -> Self {
        Self { id: Some(id), ..self }
    }

    /// Operations run where they are called: one thread does them all, one after another.
    pub(crate) fn inline(self, is_inline: bool) -> Self {
        Self { is_inline, ..self }
    }

    /// It says that it is on such a file system of another machine.
    #[cfg(test)]
    pub(super) fn on_network(self, kind: &'static str) -> Self {
        Self { network: Some(kind), ..self }
    }

    /// How often the operation was done to the file.
    pub fn count(&self, operation: Operation, file: &str) -> u64 {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.each.get(&(operation, file.to_owned())).copied().unwrap_or(0)
    }

    /// How many operations there were.
    pub fn total(&self) -> u64 {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).total
    }

    fn note(&self, operation: Operation, file: &str) -> io::Result<()> {
        let number = {
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            *counts.each.entry((operation, file.to_owned())).or_default() += 1;
            counts.total += 1;
            counts.total - 1
        };
        (self.before)(Call { number, operation, file })
    }
}

impl<D> Clone for CountingDisk<D> {
    fn clone(&self) -> Self {
        let (disk, counts, before) = (Arc::clone(&self.disk), Arc::clone(&self.counts), Arc::clone(&self.before));
        Self { disk, counts, before, id: self.id, is_inline: self.is_inline, network: self.network }
    }
}

impl<D> fmt::Debug for CountingDisk<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountingDisk").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl<D: Disk> Disk for CountingDisk<D> {
    fn place(&self) -> String {
        self.disk.place()
    }

    fn create_dir(&self) -> io::Result<()> {
        self.note(Operation::CreateDir, DIRECTORY)?;
        self.disk.create_dir()
    }

    fn create_inner(&self, name: &str) -> io::Result<()> {
        self.note(Operation::CreateDir, name)?;
        self.disk.create_inner(name)
    }

    fn sync_inner(&self, name: &str) -> io::Result<()> {
        self.note(Operation::SyncDir, name)?;
        self.disk.sync_inner(name)
    }

    fn names_inner(&self, name: &str) -> io::Result<Vec<String>> {
        self.note(Operation::Read, name)?;
        self.disk.names_inner(name)
    }

    fn sync_parent(&self) -> io::Result<()> {
        self.note(Operation::SyncParent, DIRECTORY)?;
        self.disk.sync_parent()
    }

    fn lock(&self, name: &str) -> io::Result<Option<Guard>> {
        self.note(Operation::Lock, name)?;
        self.disk.lock(name)
    }

    fn runs(&self, pid: u32) -> bool {
        self.disk.runs(pid)
    }

    fn network(&self) -> io::Result<Option<String>> {
        if self.network.is_some() { Ok(self.network.map(str::to_owned)) } else { self.disk.network() }
    }

    fn user(&self) -> Option<u32> {
        self.disk.user()
    }

    fn access(&self, name: &str) -> io::Result<Access> {
        self.disk.access(name)
    }

    fn shut_out(&self, name: &str) -> io::Result<()> {
        self.disk.shut_out(name)
    }

    fn identity(&self, name: &str) -> io::Result<Identity> {
        self.note(Operation::Identity, name)?;
        self.disk.identity(name)
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.note(Operation::Read, name)?;
        self.disk.read(name)
    }

    fn read_at(&self, name: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.note(Operation::Read, name)?;
        self.disk.read_at(name, offset, len)
    }

    fn create(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.note(Operation::Create, name)?;
        self.disk.create(name, bytes)
    }

    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.note(Operation::Append, name)?;
        self.disk.append(name, bytes)
    }

    fn write_at(&self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.note(Operation::WriteAt, name)?;
        self.disk.write_at(name, offset, bytes)
    }

    fn truncate(&self, name: &str, len: u64) -> io::Result<()> {
        self.note(Operation::Truncate, name)?;
        self.disk.truncate(name, len)
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        self.note(Operation::Sync, name)?;
        self.disk.sync(name)
    }

    fn sync_dir(&self) -> io::Result<()> {
        self.note(Operation::SyncDir, DIRECTORY)?;
        self.disk.sync_dir()
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.note(Operation::Rename, to)?;
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.note(Operation::Remove, name)?;
        self.disk.remove(name)
    }

    fn close(&self) {
        self.disk.close();
    }

    fn turn(&self) -> Option<Pending<'_, ()>> {
        if self.is_inline { Some(Box::pin(std::future::ready(()))) } else { self.disk.turn() }
    }

    fn new_id(&self) -> Uuid {
        self.id.unwrap_or_else(|| self.disk.new_id())
    }
}
