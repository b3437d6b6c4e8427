//! Log and registry of a held session: what is done in which order.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::compact::{self, Failure, Shrunk};
use super::disk::{Disk, Replace, remove_leftover};
use super::guard::Exposed;
use super::journal::Journal;
use super::layout::{JOURNAL, REGISTRY, RENAMED, SNAPSHOT, temporary};
use super::line;
use super::lines::{CHUNK, Lines};
use super::open::chunks;
use super::places::Place;
use super::registry::Registry;
use super::scan;
use super::snapshot::Snapshot;
use super::{Durability, failed};
use crate::core::record::{Record, Stored};
use crate::store::{Damage, StoreError};

/// The log and its witness.
pub(super) struct Log {
    disk: Arc<dyn Disk>,
    durability: Durability,
    ends: Mutex<Ends>,
}

struct Ends {
    journal: Journal,
    registry: Registry,
    repair: Option<Repair>,
    /// The session was let go: the next owner's files must not be touched.
    closed: bool,
}

/// What must be done before anything that was read may be acted on.
#[derive(Debug)]
pub(super) struct Repair {
    /// The session has no log file.
    pub(super) create: bool,
    /// Where the bytes stand that are not known to have been synced: from, to.
    pub(super) rewrite: Option<(u64, u64)>,
    /// Where the torn tail begins.
    pub(super) cut: Option<u64>,
    /// What the registry lacks.
    pub(super) registry: Option<Lacking>,
    /// What others may do something with.
    pub(super) exposed: Vec<Exposed>,
}

/// How the registry must be written anew.
#[derive(Debug)]
pub(super) struct Lacking {
    /// Whether there is one that can be read: what it holds is kept.
    pub(super) has_some: bool,
    /// The keys that it lacks.
    pub(super) keys: Vec<String>,
    /// Whether it is made durable before it is believed.
    pub(super) how: Replace,
}

impl Log {
    pub(super) fn new(
        disk: Arc<dyn Disk>,
        durability: Durability,
        journal: Journal,
        registry: Registry,
        repair: Repair,
    ) -> Self {
        let ends = Ends { journal, registry, repair: Some(repair), closed: false };
        Self { disk, durability, ends: Mutex::new(ends) }
    }

    /// Does what [`Repair`] says.
    ///
    /// After a kill the bytes that nobody has synced may stand in the page cache only, and a sync that failed unseen
    /// has marked them clean: so they are written again, at their place, before they are synced and believed. The file
    /// is never cut first: a kill in between would lose a reservation whose effect ran.
    pub(super) fn repair(&self) -> Result<(), StoreError> {
        let mut ends = self.ends();
        let Some(repair) = ends.repair.take() else { return Ok(()) };
        let done = self.shut_out(&repair.exposed);
        let done = done.and_then(|()| self.repair_journal(&repair));
        let done = done.and_then(|()| self.repair_registry(&mut ends.registry, &repair));
        if done.is_err() {
            ends.repair = Some(repair);
        }
        done
    }

    /// Writes records, unsynced.
    pub(super) fn append(&self, records: &[Record]) -> Result<(), StoreError> {
        let mut ends = self.ends();
        if ends.repair.is_some() {
            return Err(failed("append to", JOURNAL)(io::Error::other("the session is not repaired yet")));
        }
        ends.journal.append(&*self.disk, records)
    }

    /// The result that a record holds. It is read where it was written; should somebody have written between, it is looked for.
    pub(super) fn recall(&self, seq: u64) -> Result<Stored, StoreError> {
        let (session, place) = {
            let ends = self.ends();
            (ends.journal.session(), ends.journal.place(seq))
        };
        let is_it = |record: &Record| record.seq == seq && record.event.result().is_some();
        let there = place.map(|(name, place)| self.read(session, name, place)).transpose()?.flatten().filter(is_it);
        let record = match there {
            Some(record) => Some(record),
            None => {
                let lines = |name| Lines::new(chunks(&*self.disk, name));
                scan::find(&mut Snapshot::new(lines(SNAPSHOT), session), &mut lines(JOURNAL), is_it)?
            }
        };
        let what =
            || format!("record {seq}, which holds a result, cannot be read any more; put back a copy that holds it");
        let gone = || StoreError::Damaged(Damage { file: JOURNAL.to_owned(), line: None, key: None, what: what() });
        record.and_then(|record| record.event.result().cloned()).ok_or_else(gone)
    }

    fn read(&self, session: Uuid, name: &'static str, place: Place) -> Result<Option<Record>, StoreError> {
        let bytes = self.disk.read_at(name, place.offset, place.len as usize).map_err(failed("read", name))?;
        Ok(line::record(session, &bytes))
    }

    /// Makes all that was appended durable, then puts its keys into the registry: a key there says that its
    /// reservation is durable. The log is not locked while the disk works.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        let Some(mark) = self.ends().journal.mark()? else { return Ok(()) };
        let synced = match self.durability {
            Durability::PowerSafe => self.disk.sync(JOURNAL),
            Durability::ProcessSafe => Ok(()),
        };
        let mut ends = self.ends();
        if let Err(error) = synced {
            return Err(ends.journal.poison(failed("sync", JOURNAL)(error)));
        }
        let keys = ends.journal.synced(mark);
        if ends.closed {
            return Ok(());
        }
        let session = ends.journal.session();
        let lines = |name| Lines::new(chunks(&*self.disk, name));
        let logged = || scan::keys(&mut Snapshot::new(lines(SNAPSHOT), session), &mut lines(JOURNAL));
        let witnessed = ends.registry.insert(&*self.disk, &keys, logged);
        witnessed.map_err(|error| ends.journal.poison(failed("write", REGISTRY)(error)))
    }

    /// Shrinks the log, all of which is durable; whether there was anything to leave out.
    pub(super) fn compact(&self) -> Result<bool, StoreError> {
        let mut ends = self.ends();
        if ends.closed || ends.repair.is_some() || ends.journal.mark()?.is_some() {
            let not_now = io::Error::other("the session is let go, not repaired, or not synced");
            return Err(failed("shrink", JOURNAL)(not_now));
        }
        match compact::compact(&*self.disk, ends.journal.session(), &ends.registry) {
            Ok(None) => Ok(false),
            Ok(Some(Shrunk { places, log })) => {
                ends.journal.shrunk(log.len() as u64, places);
                Ok(true)
            }
            Err(Failure::Unchanged(error)) => Err(error),
            Err(Failure::Unknown(error)) => Err(ends.journal.poison(error)),
        }
    }

    /// Poisons the log for a sync whose end is not known.
    pub(super) fn abandon(&self, error: io::Error) -> StoreError {
        self.ends().journal.poison(failed("sync", JOURNAL)(error))
    }

    /// Whether a sync waits for the disk.
    pub(super) fn sync_waits(&self) -> bool {
        self.durability == Durability::PowerSafe
    }

    /// Nothing is written any more.
    pub(super) fn close(&self) {
        self.ends().closed = true;
        self.disk.close();
    }

    /// Nobody but the owner may do anything with the files from now on. The directory comes first: it lets others in.
    fn shut_out(&self, exposed: &[Exposed]) -> Result<(), StoreError> {
        exposed.iter().try_for_each(|file| {
            tracing::debug!(name = file.name, what = file.what(), "shut out");
            self.disk.shut_out(file.name).map_err(failed("take from others the rights to", file.name))
        })
    }

    fn repair_journal(&self, repair: &Repair) -> Result<(), StoreError> {
        if repair.create {
            self.disk.create(JOURNAL, b"").map_err(failed("create", JOURNAL))?;
        }
        if let Some((from, to)) = repair.rewrite {
            self.rewrite(from, to).map_err(failed("rewrite", JOURNAL))?;
        }
        if let Some(len) = repair.cut {
            self.disk.truncate(JOURNAL, len).map_err(failed("cut the torn tail of", JOURNAL))?;
        }
        if self.sync_waits() {
            if repair.rewrite.is_some() || repair.cut.is_some() {
                self.disk.sync(JOURNAL).map_err(failed("sync", JOURNAL))?;
            }
            self.disk.sync_dir().map_err(failed("sync the directory of", JOURNAL))?;
        }
        Ok(())
    }

    /// Writes what stands there over itself.
    fn rewrite(&self, from: u64, to: u64) -> io::Result<()> {
        let mut offset = from;
        while offset < to {
            let len = usize::try_from(to - offset).unwrap_or(CHUNK).min(CHUNK);
            let bytes = self.disk.read_at(JOURNAL, offset, len)?;
            if bytes.is_empty() {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it has become shorter"));
            }
            self.disk.write_at(JOURNAL, offset, &bytes)?;
            offset += bytes.len() as u64;
        }
        Ok(())
    }

    fn repair_registry(&self, registry: &mut Registry, repair: &Repair) -> Result<(), StoreError> {
        for name in RENAMED.map(temporary) {
            remove_leftover(&*self.disk, &name).map_err(failed("remove", &name))?;
        }
        let Some(Lacking { has_some, keys, how }) = &repair.registry else { return Ok(()) };
        tracing::debug!(missing = keys.len(), place = self.disk.place(), "the registry is written anew");
        let written = match has_some {
            true => registry.extend(&*self.disk, keys, *how),
            false => registry.begin(&*self.disk, keys, *how),
        };
        written.map_err(failed("write", REGISTRY))?;
        if *how == Replace::Synced {
            self.disk.sync_dir().map_err(failed("sync the directory of", REGISTRY))?;
        }
        Ok(())
    }

    fn ends(&self) -> MutexGuard<'_, Ends> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
