//! What a broken protocol does to the disk, as the layer between a whole one and the machine: calls that it leaves out,
//! calls that it makes twice, and records that it forgets.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use uuid::Uuid;

use crate::broken::{self, Broken};
use crate::core::record::{Apart, Event, Note, Record, Stored};
use crate::core::view::StateView;
use crate::store::files::{Disk, FilesStore, Guard, Identity};
use crate::store::{Opened, Pending, Posted, Publish, Reader, Store, StoreError, Sync};

const JOURNAL: &str = "journal.jsonl";
const REGISTRY: &str = "idempotency.json";
const HANDOFF: &str = "handoff.md";
const LOCK: &str = "session.lock";
const BLOBS: &str = "blobs/";

/// A disk whose user leaves out what the broken protocol leaves out.
pub(crate) struct BrokenDisk {
    disk: Arc<dyn Disk>,
    /// Whether the boot is over: its first append comes after all that it repairs.
    has_appended: AtomicBool,
}

impl BrokenDisk {
    pub(crate) fn new(disk: Arc<dyn Disk>) -> Self {
        Self { disk, has_appended: AtomicBool::new(false) }
    }

    fn leaves_out_sync(&self, name: &str) -> bool {
        let is_boot = !self.has_appended.load(Ordering::Relaxed);
        match name {
            LOCK => broken::is(Broken::IdNotSynced),
            JOURNAL if is_boot => broken::is(Broken::ReadNotSynced),
            JOURNAL => broken::is(Broken::ReservationNotSynced),
            name if name.starts_with(BLOBS) => broken::is(Broken::BlobNotSynced),
            _ => false,
        }
    }

    fn leaves_out_write(name: &str) -> bool {
        match name {
            JOURNAL => broken::is(Broken::ReadNotRewritten),
            REGISTRY => broken::is(Broken::RegistryNotWritten),
            HANDOFF => broken::is(Broken::HandoffNotPublished),
            _ => false,
        }
    }
}

impl Disk for BrokenDisk {
    fn place(&self) -> String {
        self.disk.place()
    }

    fn create_dir(&self) -> io::Result<()> {
        self.disk.create_dir()
    }

    fn create_inner(&self, name: &str) -> io::Result<()> {
        self.disk.create_inner(name)
    }

    fn sync_inner(&self, name: &str) -> io::Result<()> {
        if broken::is(Broken::BlobNotSynced) { Ok(()) } else { self.disk.sync_inner(name) }
    }

    fn names_inner(&self, name: &str) -> io::Result<Vec<String>> {
        self.disk.names_inner(name)
    }

    fn sync_parent(&self) -> io::Result<()> {
        if broken::is(Broken::DirectoryNotSynced) { Ok(()) } else { self.disk.sync_parent() }
    }

    fn lock(&self, name: &str) -> io::Result<Option<Guard>> {
        let guard = self.disk.lock(name)?;
        if broken::is(Broken::BootWritesFirst) && self.disk.identity(JOURNAL).is_ok() {
            self.disk.append(JOURNAL, b"{\"whose\":\"mine\"}\n")?;
        }
        Ok(if broken::is(Broken::LockIgnored) { Some(guard.unwrap_or_else(|| Box::new(()))) } else { guard })
    }

    fn identity(&self, name: &str) -> io::Result<Identity> {
        self.disk.identity(name)
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.disk.read(name)
    }

    fn read_at(&self, name: &str, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.disk.read_at(name, offset, len)
    }

    fn create(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.disk.create(name, bytes)
    }

    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.has_appended.store(true, Ordering::Relaxed);
        match self.disk.append(name, bytes) {
            Err(_) if broken::is(Broken::FailedAppendRetried) => self.disk.append(name, bytes),
            appended => appended,
        }
    }

    fn write_at(&self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if Self::leaves_out_write(name) { Ok(()) } else { self.disk.write_at(name, offset, bytes) }
    }

    fn truncate(&self, name: &str, len: u64) -> io::Result<()> {
        if broken::is(Broken::TornTailKept) { Ok(()) } else { self.disk.truncate(name, len) }
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        if self.leaves_out_sync(name) {
            return Ok(());
        }
        match self.disk.sync(name) {
            Err(_) if broken::is(Broken::FailedSyncRetried) => self.disk.sync(name),
            synced => synced,
        }
    }

    fn sync_dir(&self) -> io::Result<()> {
        if broken::is(Broken::NamesNotSynced) { Ok(()) } else { self.disk.sync_dir() }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.disk.remove(name)
    }

    fn close(&self) {
        self.disk.close();
    }

    fn turn(&self) -> Option<Pending<'_, ()>> {
        self.disk.turn()
    }

    fn new_id(&self) -> Uuid {
        self.disk.new_id()
    }
}

/// A store that forgets what the broken protocol forgets when it is opened.
#[derive(Debug)]
pub(crate) struct ForgetfulStore(pub(crate) FilesStore);

/// The records without those that are forgotten.
fn forget(records: &mut [Record]) {
    let open = reserved_alone(records);
    for record in records {
        let is_forgotten = match &record.event {
            Event::Done(_) => broken::is(Broken::ResultForgotten),
            Event::Reserve(reserve) => broken::is(Broken::ReservationForgotten) && open.contains(&*reserve.key),
            _ => false,
        };
        if is_forgotten {
            record.event = Note { text: "forgotten".to_owned() }.into();
        }
    }
}

/// The keys that are reserved and not done.
fn reserved_alone(records: &[Record]) -> BTreeSet<String> {
    let mut open = BTreeSet::new();
    for record in records {
        match &record.event {
            Event::Reserve(reserve) => open.insert(reserve.key.to_string()),
            Event::Done(done) => open.remove(&*done.key),
            _ => false,
        };
    }
    open
}

impl Store for ForgetfulStore {
    fn open(&self, reader: Reader) -> Pending<'_, Result<Opened, StoreError>> {
        let forgetful = |records: &mut dyn Iterator<Item = Record>| {
            let mut records: Vec<_> = records.collect();
            forget(&mut records);
            reader(&mut records.into_iter());
        };
        Box::pin(async move {
            let mut opened = self.0.open(Box::new(forgetful)).await?;
            if broken::is(Broken::RegistryNotRead) {
                opened.unlogged.clear();
            }
            Ok(opened)
        })
    }

    fn peek(&self, reader: Reader) -> Pending<'_, Result<(), StoreError>> {
        self.0.peek(reader)
    }

    fn repair(&self) -> Pending<'_, Result<(), StoreError>> {
        self.0.repair()
    }

    fn append<'a>(&'a self, records: &'a [Record], sync: Sync) -> Pending<'a, Result<(), StoreError>> {
        self.0.append(records, sync)
    }

    fn recall(&self, seq: u64) -> Pending<'_, Result<Stored, StoreError>> {
        self.0.recall(seq)
    }

    fn compact(&self) -> Pending<'_, Result<bool, StoreError>> {
        self.0.compact()
    }

    fn set_apart(&self, value: Stored) -> Pending<'_, Result<Stored, StoreError>> {
        self.0.set_apart(value)
    }

    fn fetch(&self, apart: Apart) -> Pending<'_, Result<Stored, StoreError>> {
        self.0.fetch(apart)
    }

    fn publish_handoff<'a>(&'a self, text: &'a str, how: Publish) -> Pending<'a, Result<(), StoreError>> {
        self.0.publish_handoff(text, how)
    }

    fn publish_state<'a>(&'a self, state: &'a StateView) -> Pending<'a, Result<(), StoreError>> {
        self.0.publish_state(state)
    }

    fn sync_waits(&self) -> bool {
        self.0.sync_waits()
    }

    fn publishes(&self) -> bool {
        self.0.publishes()
    }

    fn post<'a>(&'a self, id: Uuid, text: &'a str) -> Pending<'a, Result<(), StoreError>> {
        self.0.post(id, text)
    }

    fn take<'a>(&'a self, logged: &'a [Uuid]) -> Pending<'a, Result<Vec<Posted>, StoreError>> {
        self.0.take(logged)
    }

    fn release(&self) {
        self.0.release();
    }

    fn place(&self) -> String {
        self.0.place()
    }
}
