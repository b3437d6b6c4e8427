//! What the lines of a log say: the records that stand, the torn tail behind them, or the damage among them.

use std::collections::VecDeque;

use uuid::Uuid;

use super::layout::{JOURNAL, SNAPSHOT, TAIL_LINES};
use super::line::{self, Decoder, Entry, Line};
use super::lines::{Lines, Raw};
use super::places::Places;
use super::snapshot::{Snapshot, Trimmed};
use super::witnesses::Witnesses;
use super::{Durability, failed};
use crate::broken::{self, Broken};
use crate::core::record::{Event, FORMAT, Record};
use crate::store::{Damage, Reader, StoreError, Torn};

/// How much of a bad line is kept to show its key.
const SHOWN: usize = 64 * 1024;

/// The first line of a log that was shrunk begins so. It is none of its records, and stands there for readers.
pub(super) const TRIMMED: &[u8] = br#"{"action":"trimmed","#;

/// A log that may be believed.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The last record that is known to have been synced. It may be lost: see [`Scan::is_whole`].
    pub(super) durable: u64,
    /// Bytes that stand.
    pub(super) end: u64,
    /// Where the first record begins that is not known to have been synced.
    pub(super) unsynced: Option<u64>,
    /// What stands behind them.
    pub(super) torn: Option<Torn>,
    /// The last lines that stand.
    pub(super) tail: Vec<String>,
    /// Whether the last boot synced nothing, whatever its records say.
    pub(super) was_process_safe: bool,
    /// Where the session stood at the last boot.
    pub(super) place: Option<String>,
    /// Where the results stand.
    pub(super) places: Places,
    /// Records are missing somewhere before the last one, and that is known.
    gap: bool,
    /// The numbers of the first and the last record that stand.
    ends: Option<(u64, u64)>,
}

impl Scan {
    /// The first record that stands.
    pub(super) fn first(&self) -> Option<u64> {
        self.ends.map(|(first, _)| first)
    }

    /// The last record that stands.
    pub(super) fn last(&self) -> u64 {
        self.ends.map_or(0, |(_, last)| last)
    }

    /// Whether every record that was ever synced stands here.
    pub(super) fn is_whole(&self) -> bool {
        !self.gap && self.last() >= self.durable && self.first().is_none_or(|first| first == 1)
    }
}

/// Reads a log. `synced` is what the state view says of the last synced record. The records that stand go to `reader`, which
/// must believe none of them before this returns.
///
/// A record at or before the last synced one cannot be torn: where it is bad or missing, something acknowledged is gone,
/// and to go on would do it twice. What comes after was never acknowledged, and goes from the first bad line on.
///
/// The records of the snapshot come first; those of the log that it stands for are passed over.
pub(super) fn scan(
    snapshot: Snapshot<'_>,
    mut lines: Lines<'_>,
    synced: u64,
    witnesses: &mut Witnesses<'_>,
    reader: Reader,
) -> Result<Scan, StoreError> {
    lines.rewind();
    let mut walk = Walk::new(snapshot, lines, synced, witnesses);
    reader(&mut walk);
    // Whatever the reader has left.
    for _ in walk.by_ref() {}
    walk.look_behind();
    walk.judge()
}

/// Looks for a record, wherever it stands.
pub(super) fn find(
    snapshot: &mut Snapshot<'_>,
    journal: &mut Lines<'_>,
    is_it: impl Fn(&Record) -> bool,
) -> Result<Option<Record>, StoreError> {
    while let Some((record, _)) = snapshot.next()? {
        if is_it(&record) {
            return Ok(Some(record));
        }
    }
    while let Some(raw) = journal.next().map_err(failed("read", JOURNAL))? {
        if let Some(record) = record(&raw, snapshot.session()).filter(&is_it) {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// The session that the log itself names, and the line that does.
pub(super) fn claimed_session(lines: &mut Lines<'_>) -> std::io::Result<Option<(u64, Uuid)>> {
    while let Some(raw) = lines.next()? {
        if let Some(session) = line::claimed_session(raw.bytes) {
            return Ok(Some((raw.number, session)));
        }
    }
    Ok(None)
}

/// Whether the log holds nothing of ours, damaged or not.
pub(super) fn is_foreign(lines: &mut Lines<'_>) -> std::io::Result<bool> {
    lines.rewind();
    while let Some(raw) = lines.next()? {
        if !matches!(decode(&raw, Uuid::nil()), Line::Foreign) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The first line that neither we nor the protocol's script would write, in a log that holds nothing of ours.
pub(super) fn strange(lines: &mut Lines<'_>) -> std::io::Result<Option<u64>> {
    lines.rewind();
    while let Some(raw) = lines.next()? {
        if !line::is_of_script(raw.bytes) {
            return Ok(Some(raw.number));
        }
    }
    Ok(None)
}

/// The keys that snapshot and log say were reserved.
pub(super) fn keys(snapshot: &mut Snapshot<'_>, journal: &mut Lines<'_>) -> std::io::Result<Vec<String>> {
    let mut keys = snapshot.keys().map_err(std::io::Error::other)?;
    while let Some(raw) = journal.next()? {
        let record = record(&raw, snapshot.session());
        keys.extend(record.iter().flat_map(|record| record.event.reserved()).map(str::to_owned));
    }
    Ok(keys)
}

/// The record of this session in a line, if it is one.
pub(super) fn record(raw: &Raw<'_>, session: Uuid) -> Option<Record> {
    if let Line::Ours(entry) = decode(raw, session) { Some(entry.record) } else { None }
}

/// A walk over the lines: first over those that stand, then, from the first bad one on, only for what they say of the others.
struct Walk<'a, 'k> {
    snapshot: Snapshot<'a>,
    /// Whether the snapshot is read.
    in_journal: bool,
    /// The last record that the snapshot stands for.
    covered: u64,
    lines: Lines<'a>,
    session: Uuid,
    decoder: Decoder,
    scan: Scan,
    witnesses: &'a mut Witnesses<'k>,
    /// The records that are not known to have been synced, as far as the walk has come, and where they begin.
    unsynced: VecDeque<(u64, u64)>,
    /// Where the last lines begin that stand.
    tail: VecDeque<u64>,
    first_bad: Option<FirstBad>,
    /// How many bad lines stand in front of the first record.
    bad_in_front: u64,
    /// The number of the first record, whether or not it stands.
    first_seen: Option<u64>,
    error: Option<StoreError>,
}

/// The line from which on nothing stands.
struct FirstBad {
    number: u64,
    offset: u64,
    bytes: Vec<u8>,
    /// The record that it is, if it is one.
    seq: Option<u64>,
}

impl Iterator for Walk<'_, '_> {
    type Item = Record;

    /// The next record that stands.
    fn next(&mut self) -> Option<Record> {
        while !self.in_journal && self.error.is_none() {
            match self.step_in_snapshot() {
                Ok(Some(record)) => return Some(record),
                Ok(None) => self.in_journal = true,
                Err(error) => self.error = Some(error),
            }
        }
        while self.first_bad.is_none() && self.error.is_none() {
            match self.step() {
                Ok(Some(Some(record))) => return Some(record),
                Ok(Some(None)) => {}
                Ok(None) => return None,
                Err(error) => self.error = Some(error),
            }
        }
        None
    }
}

impl<'a, 'k> Walk<'a, 'k> {
    fn new(snapshot: Snapshot<'a>, lines: Lines<'a>, synced: u64, witnesses: &'a mut Witnesses<'k>) -> Self {
        Self {
            session: snapshot.session(),
            decoder: Decoder::new(snapshot.session()),
            snapshot,
            in_journal: false,
            covered: 0,
            lines,
            scan: Scan { durable: synced, ..Scan::default() },
            witnesses,
            unsynced: VecDeque::new(),
            tail: VecDeque::new(),
            first_bad: None,
            bad_in_front: 0,
            first_seen: None,
            error: None,
        }
    }

    /// Takes in one record of the snapshot; `None` at its end.
    fn step_in_snapshot(&mut self) -> Result<Option<Record>, StoreError> {
        let Some((record, raw)) = self.snapshot.next()? else {
            self.witnesses.begin(&mut self.snapshot)?;
            return Ok(None);
        };
        self.scan.places.in_snapshot(&record, raw.offset, raw.bytes.len());
        self.scan.take(&record);
        if let Some(Trimmed { seq, .. }) = self.snapshot.end() {
            self.covered = seq;
            self.scan.durable = self.scan.durable.max(seq);
        }
        // What is missing in between was left out.
        self.scan.gap = false;
        Ok(Some(record))
    }

    /// Takes in one line, and gives the record that stands in it; `None` at the end of the log.
    fn step(&mut self) -> Result<Option<Option<Record>>, StoreError> {
        let Some(raw) = self.lines.next().map_err(failed("read", JOURNAL))? else { return Ok(None) };
        if self.covered == 0 && raw.bytes.starts_with(TRIMMED) {
            return Err(snapshot_is_missing());
        }
        let line = match raw.is_ended {
            true => self.decoder.decode(raw.bytes),
            false => Line::Bad,
        };
        refuse_newer(JOURNAL, &raw, &line)?;
        self.scan.durable = self.scan.durable.max(acknowledged(&raw, &line, self.session));
        let stands = match &line {
            Line::Foreign => true,
            Line::Ours(entry) => entry.record.seq <= self.covered || self.scan.is_next(entry),
            Line::Newer(_) | Line::Bad => false,
        };
        if self.first_seen.is_none() {
            self.bad_in_front += u64::from(matches!(line, Line::Bad));
            self.first_seen = if let Line::Ours(entry) = &line { Some(entry.record.seq) } else { None };
        }
        if !stands || self.first_bad.is_some() {
            let seq = if let Line::Ours(entry) = &line { Some(entry.record.seq) } else { None };
            let FirstBad { .. } = self.first_bad.get_or_insert_with(|| FirstBad {
                number: raw.number,
                offset: raw.offset,
                bytes: raw.bytes[..raw.bytes.len().min(SHOWN)].to_vec(),
                seq,
            });
            return Ok(Some(None));
        }
        self.scan.end = raw.end();
        if self.tail.len() == TAIL_LINES {
            self.tail.pop_front();
        }
        self.tail.push_back(raw.offset);
        let Line::Ours(entry) = line else { return Ok(Some(None)) };
        if entry.record.seq <= self.covered {
            return Ok(Some(None));
        }
        self.unsynced.push_back((entry.record.seq, raw.offset));
        while self.unsynced.front().is_some_and(|&(seq, _)| seq <= self.scan.durable) {
            self.unsynced.pop_front();
        }
        self.scan.take(&entry.record);
        self.scan.places.in_journal(&entry.record, raw.offset, raw.bytes.len());
        let is_whole = !self.scan.gap && self.scan.first() == Some(1);
        self.witnesses.see(&entry.record, is_whole);
        Ok(Some(Some(entry.record)))
    }

    /// Reads on behind the first bad line: a later one may say that it was acknowledged, or that a newer version wrote it.
    fn look_behind(&mut self) {
        while self.error.is_none() {
            match self.step() {
                Ok(Some(_)) => {}
                Ok(None) => return,
                Err(error) => self.error = Some(error),
            }
        }
    }

    fn judge(mut self) -> Result<Scan, StoreError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if broken::is(Broken::MarkIgnored) {
            self.scan.durable = 0;
        }
        if let Some(bad) = &self.first_bad {
            let expected = self.expected();
            if expected <= self.scan.durable || broken::is(Broken::TornTakenForDamage) {
                let key = key_of(&mut self.lines, bad).map_err(failed("read", JOURNAL))?;
                return Err(damage(bad, expected, key));
            }
            self.scan.torn = Some(Torn { bytes: self.lines.offset() - bad.offset, line: bad.number });
        }
        let durable = self.scan.durable;
        self.scan.unsynced = self.unsynced.iter().find(|&&(seq, _)| seq > durable).map(|&(_, offset)| offset);
        self.scan.tail = self.read_tail().map_err(failed("read", JOURNAL))?;
        Ok(self.scan)
    }

    /// The number that the record in the first bad line must have. In front of the first record that stands, the bad lines
    /// are taken for the records just before it.
    fn expected(&self) -> u64 {
        match self.scan.ends {
            Some((_, last)) => last + 1,
            None => self.first_seen.unwrap_or(1).saturating_sub(self.bad_in_front).max(1),
        }
    }

    fn read_tail(&mut self) -> std::io::Result<Vec<String>> {
        let Some(&from) = self.tail.front() else { return Ok(Vec::new()) };
        let bytes = self.lines.again(from, self.scan.end)?;
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        let text = |line: &[u8]| String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line)).into_owned();
        Ok(lines.map(text).collect())
    }
}

impl Scan {
    fn is_next(&self, entry: &Entry) -> bool {
        let (last, seq) = (self.last(), entry.record.seq);
        broken::is(Broken::GapIgnored)
            || self.ends.is_none()
            || seq == last + 1
            || (entry.after == Some(last) && seq > last)
    }

    fn take(&mut self, record: &Record) {
        let seq = record.seq;
        let first = self.first().unwrap_or(seq);
        self.gap |= self.ends.is_some_and(|(_, last)| seq != last + 1);
        self.ends = Some((first, seq));
        if let Event::Boot(boot) = &record.event {
            self.was_process_safe = boot.durability == Durability::ProcessSafe.as_str();
            self.place.clone_from(&boot.place);
        }
    }
}

fn decode(raw: &Raw<'_>, session: Uuid) -> Line {
    if raw.is_ended { line::decode(session, raw.bytes) } else { Line::Bad }
}

/// What a line says of the last record that was synced when it was written.
fn acknowledged(raw: &Raw<'_>, line: &Line, session: Uuid) -> u64 {
    let durable = match line {
        Line::Ours(entry) => Some(entry.durable),
        Line::Bad => line::durable_in(session, raw.bytes),
        Line::Foreign | Line::Newer(_) => None,
    };
    durable.unwrap_or(0)
}

pub(super) fn refuse_newer(file: &str, raw: &Raw<'_>, line: &Line) -> Result<(), StoreError> {
    let place = || format!("{file} line {}", raw.number);
    match line {
        Line::Newer(what) => Err(newer(place(), &format!("it holds {what}"))),
        Line::Ours(entry) => match &entry.record.event {
            Event::Boot(boot) if boot.format > FORMAT => Err(newer(place(), &format!("it has format {}", boot.format))),
            _ => Ok(()),
        },
        Line::Foreign | Line::Bad => Ok(()),
    }
}

/// A newer version wrote this.
pub(super) fn newer(place: String, found: &str) -> StoreError {
    let what =
        format!("{found}, which a newer version wrote; this one knows format {FORMAT}: open it with the newer one");
    StoreError::Newer { place, what }
}

fn damage(bad: &FirstBad, expected: u64, key: Option<String>) -> StoreError {
    let what = match bad.seq {
        Some(seq) => format!("record {seq} stands where record {expected} belongs, which was synced"),
        None => format!("this line cannot be read, though record {expected}, which belongs here, was synced"),
    };
    StoreError::Damaged(Damage {
        file: JOURNAL.to_owned(),
        line: Some(bad.number),
        key,
        what: format!(
            "{what}; put back a copy that holds it; an older one has forgotten effects, and lets them happen again"
        ),
    })
}

fn snapshot_is_missing() -> StoreError {
    let what = format!("{SNAPSHOT} is missing, which holds what was left out here; put back both as they were");
    StoreError::Damaged(Damage { file: JOURNAL.to_owned(), line: Some(1), key: None, what })
}

/// The key that the line still shows, else the keys between which it stands. For a message only, so the log is read once
/// more.
fn key_of(lines: &mut Lines<'_>, bad: &FirstBad) -> std::io::Result<Option<String>> {
    if bad.seq.is_none()
        && let Some(key) = line::key_in(&bad.bytes)
    {
        return Ok(Some(key));
    }
    let (mut before, mut after) = (None, None);
    lines.rewind();
    while let Some(raw) = lines.next()?
        && after.is_none()
    {
        let key = line::key_in(raw.bytes);
        match raw.number < bad.number {
            true => before = key.or(before),
            false => after = key,
        }
    }
    Ok(match (before, after) {
        (Some(before), Some(after)) => Some(format!("between {before} and {after}")),
        (Some(before), None) => Some(format!("after {before}")),
        (None, Some(after)) => Some(format!("before {after}")),
        (None, None) => None,
    })
}

#[cfg(test)]
mod tests;
