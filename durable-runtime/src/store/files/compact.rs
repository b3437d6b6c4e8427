//! Shrinking the log: a snapshot first, then a shorter log.
//!
//! At every moment the directory says the same: the old log; or the snapshot and the old log, of which every record that the
//! snapshot stands for is passed over; or the snapshot and the new log.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use super::disk::{Disk, Replace, remove_leftover, replace};
use super::failed;
use super::layout::{JOURNAL, REGISTRY, SNAPSHOT, TAIL_LINES, temporary};
use super::line;
use super::lines::Lines;
use super::open::chunks;
use super::places::Places;
use super::registry::Registry;
use super::scan::{self, Scan, TRIMMED};
use super::snapshot::Snapshot;
use super::witnesses::Witnesses;
use crate::broken::{self, Broken};
use crate::core::compact::{Compaction, trim};
use crate::core::record::{Closed, Event, Record};
use crate::core::state::State;
use crate::store::StoreError;

/// How many keys stand in one line.
const KEYS: usize = 256;

/// How much is written at once.
const PIECE: usize = 256 * 1024;

/// Why a log was not shrunk.
#[derive(Debug)]
pub(super) enum Failure {
    /// The log is as it was.
    Unchanged(StoreError),
    /// Which log has the name is not known: nothing may be appended any more.
    Unknown(StoreError),
}

/// Shrinks a log of which every record is durable, and whose keys are in the registry; `None` if there is nothing to leave out.
pub(super) fn compact(disk: &dyn Disk, session: Uuid, registry: &Registry) -> Result<Option<Shrunk>, Failure> {
    let prepared = prepare(disk, session, registry);
    if !matches!(prepared, Ok(Some(_)))
        && let Err(error) = remove_leftover(disk, &temporary(SNAPSHOT))
    {
        tracing::debug!(%error, place = disk.place(), "half a snapshot stays beside the log; the next boot removes it");
    }
    let Some(shrunk) = prepared.map_err(Failure::Unchanged)? else { return Ok(None) };
    put_in_place(disk).map_err(Failure::Unchanged)?;
    shrink(disk, &shrunk.log).map_err(|error| Failure::Unknown(failed("shrink", JOURNAL)(error)))?;
    Ok(Some(shrunk))
}

/// A log that was shrunk.
pub(super) struct Shrunk {
    /// Where the results stand now.
    pub(super) places: Places,
    /// What stands in the log now.
    pub(super) log: Vec<u8>,
}

/// Writes the snapshot beside the log.
fn prepare(disk: &dyn Disk, session: Uuid, registry: &Registry) -> Result<Option<Shrunk>, StoreError> {
    let Some((scan, state)) = read(disk, session)? else { return Ok(None) };
    let Some(compaction) = Compaction::of(&state) else { return Ok(None) };
    let mut writer = Writer::begin(disk)?;
    let mut choice = Choice::of(compaction, &state);
    let (kept, left_out) = choice.write(disk, session, &scan, &mut writer)?;
    if left_out == 0 {
        return Ok(None);
    }
    let witnessed = registry.witnessed(disk, &choice.named, &choice.closed).map_err(failed("read", REGISTRY))?;
    writer.end(session, trim(&state, kept, choice.closed.len() as u64, witnessed), &choice.closed)?;
    let places = prove(disk, session, &state, choice.closed.len())?;
    Ok(Some(Shrunk { places, log: choice.tail.into_bytes(state.seq) }))
}

/// What the log says, if all of it is there.
fn read(disk: &dyn Disk, session: Uuid) -> Result<Option<(Scan, State)>, StoreError> {
    let told = Arc::new(Mutex::new(State::new(session, String::new())));
    let tell = Arc::clone(&told);
    let reader = move |records: &mut dyn Iterator<Item = Record>| {
        let mut state = tell.lock().unwrap_or_else(PoisonError::into_inner);
        records.for_each(|record| state.apply(&record));
    };
    let snapshot = Snapshot::new(Lines::new(chunks(disk, SNAPSHOT)), session);
    let journal = Lines::new(chunks(disk, JOURNAL));
    let scan = scan::scan(snapshot, journal, 0, &mut Witnesses::none(), Box::new(reader))?;
    let state = Arc::into_inner(told).and_then(|told| told.into_inner().ok());
    Ok(state.filter(|_| scan.is_whole() && scan.torn.is_none()).map(|state| (scan, state)))
}

/// Reads the snapshot back: it must say what the log says, before anything is left out.
fn prove(disk: &dyn Disk, session: Uuid, state: &State, closed: usize) -> Result<Places, StoreError> {
    let lost = |what: &str| {
        let what = format!("without it the session would have lost {what}; the log stays as it is");
        StoreError::io(format!("shrink {JOURNAL}"), io::Error::other(what))
    };
    let name = temporary(SNAPSHOT);
    let mut snapshot = Snapshot::new(Lines::new(chunks(disk, &name)), session);
    let mut kept = State::new(session, String::new());
    let mut places = Places::default();
    while let Some((record, raw)) = snapshot.next()? {
        places.in_snapshot(&record, raw.offset, raw.bytes.len());
        kept.apply(&record);
    }
    state.same(&kept).map_err(lost)?;
    if snapshot.closed()?.len() == closed { Ok(places) } else { Err(lost("keys")) }
}

/// The snapshot gets its name. The registry is durable then too: of the keys that are left out of the log it is a witness.
fn put_in_place(disk: &dyn Disk) -> Result<(), StoreError> {
    let written = temporary(SNAPSHOT);
    if !broken::is(Broken::SnapshotNotSynced) {
        disk.sync(&written).map_err(failed("sync", SNAPSHOT))?;
    }
    disk.sync(REGISTRY).map_err(failed("sync", REGISTRY))?;
    disk.rename(&written, SNAPSHOT).map_err(failed("rename", SNAPSHOT))?;
    if broken::is(Broken::SnapshotNameNotSynced) {
        return Ok(());
    }
    disk.sync_dir().map_err(failed("sync the directory of", SNAPSHOT))
}

fn shrink(disk: &dyn Disk, tail: &[u8]) -> io::Result<()> {
    replace(disk, JOURNAL, tail, Replace::Synced)?;
    disk.sync_dir()
}

/// What becomes of each line.
struct Choice<'a> {
    compaction: Compaction<'a>,
    state: &'a State,
    /// The keys of all records.
    named: HashSet<String>,
    /// Those of the records that are left out.
    closed: Vec<String>,
    tail: Tail,
}

impl<'a> Choice<'a> {
    fn of(compaction: Compaction<'a>, state: &'a State) -> Self {
        Self { compaction, state, named: HashSet::new(), closed: Vec::new(), tail: Tail::default() }
    }

    /// Writes the lines that are kept; how many are, and how many are not.
    fn write(
        &mut self,
        disk: &dyn Disk,
        session: Uuid,
        scan: &Scan,
        out: &mut Writer<'_>,
    ) -> Result<(u64, u64), StoreError> {
        let (mut kept, mut all) = (0, 0);
        let mut snapshot = Snapshot::new(Lines::new(chunks(disk, SNAPSHOT)), session);
        while let Some((record, raw)) = snapshot.next()? {
            all += u64::from(!matches!(record.event, Event::Trim(_)));
            kept += u64::from(self.take(&record, raw.bytes, out)?);
        }
        self.closed.extend(snapshot.closed()?);
        self.named.extend(self.closed.iter().cloned());
        let covered = snapshot.end().map_or(0, |end| end.seq);
        let mut journal = Lines::new(chunks(disk, JOURNAL));
        while let Some(raw) = journal.next().map_err(failed("read", JOURNAL))?
            && raw.end() <= scan.end
        {
            let record = scan::record(&raw, session);
            self.tail.take(self.state, record.as_ref(), raw.bytes);
            if let Some(record) = record.filter(|record| record.seq > covered) {
                all += 1;
                kept += u64::from(self.take(&record, raw.bytes, out)?);
            }
        }
        Ok((kept, all - kept))
    }

    fn take(&mut self, record: &Record, line: &[u8], out: &mut Writer<'_>) -> Result<bool, StoreError> {
        let keeps = self.compaction.keeps(record);
        let reserved = record.event.reserved().map(str::to_owned);
        let new: Vec<_> = reserved.filter(|key| self.named.insert(key.clone())).collect();
        if keeps {
            out.line(line)?;
        } else {
            self.closed.extend(new);
        }
        Ok(keeps)
    }
}

/// The lines that stay in the log for readers: the newest boot and checkpoint, the last ones, and all that are none of ours,
/// for no snapshot holds those.
#[derive(Default)]
struct Tail {
    older: Vec<Vec<u8>>,
    last: VecDeque<(u64, Vec<u8>)>,
}

impl Tail {
    fn take(&mut self, state: &State, record: Option<&Record>, line: &[u8]) {
        let seq = record.map_or(0, |record| record.seq);
        if line.starts_with(TRIMMED) {
            return;
        }
        self.last.push_back((seq, line.to_vec()));
        if self.last.len() <= TAIL_LINES {
            return;
        }
        let older = self.last.pop_front();
        let stays = |seq: u64| seq == 0 || seq == state.booted || seq == state.anchored;
        self.older.extend(older.filter(|(seq, _)| stays(*seq)).map(|(_, line)| line));
    }

    /// The lines of a log from which all else was left out up to this record.
    fn into_bytes(self, upto: u64) -> Vec<u8> {
        let lines = self.older.iter().chain(self.last.iter().map(|(_, line)| line));
        let lines = lines.flat_map(|line| [line.as_slice(), b"\n"]);
        let told = format!(r#""text":"what still matters of the records up to {upto} stands in {SNAPSHOT}"}}"#);
        let mut bytes = [TRIMMED, told.as_bytes(), b"\n"].concat();
        lines.for_each(|line| bytes.extend_from_slice(line));
        bytes
    }
}

/// Writes the snapshot under its temporary name.
struct Writer<'a> {
    disk: &'a dyn Disk,
    name: String,
    buffer: Vec<u8>,
    written: u64,
}

impl<'a> Writer<'a> {
    fn begin(disk: &'a dyn Disk) -> Result<Self, StoreError> {
        let name = temporary(SNAPSHOT);
        let begun = remove_leftover(disk, &name).and_then(|()| disk.create(&name, b""));
        begun.map_err(failed("create", &name))?;
        Ok(Self { disk, name, buffer: Vec::new(), written: 0 })
    }

    fn line(&mut self, line: &[u8]) -> Result<(), StoreError> {
        self.buffer.extend_from_slice(line);
        self.buffer.push(b'\n');
        if self.buffer.len() < PIECE { Ok(()) } else { self.flush() }
    }

    fn end(&mut self, session: Uuid, trim: Record, closed: &[String]) -> Result<(), StoreError> {
        let (seq, epoch, at) = (trim.seq, trim.epoch, trim.at);
        let keys = closed.chunks(KEYS).map(|keys| Event::from(Closed { keys: keys.to_vec() }));
        let lines = keys.map(|event| Record { seq, epoch, at, event });
        for record in std::iter::once(trim).chain(lines) {
            let mut line = Vec::new();
            let encoded = line::encode(&mut line, session, &record, seq, None);
            encoded.map_err(|error| failed("write", SNAPSHOT)(error.into()))?;
            self.line(line.trim_ascii_end())?;
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if !self.buffer.is_empty() {
            self.disk.write_at(&self.name, self.written, &self.buffer).map_err(failed("write", &self.name))?;
        }
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}
