//! The walk over the lines of a log, and what is judged at its end.

use std::collections::VecDeque;

use uuid::Uuid;

use super::refusal::{damage, key_of, refuse_newer, snapshot_is_missing};
use super::{Scan, TRIMMED};
use crate::broken::{self, Broken};
use crate::core::record::Record;
use crate::store::files::failed;
use crate::store::files::layout::{JOURNAL, TAIL_LINES};
use crate::store::files::line::{self, Decoder, Line};
use crate::store::files::lines::{Lines, Raw};
use crate::store::files::snapshot::{Snapshot, Trimmed};
use crate::store::files::witnesses::Witnesses;
use crate::store::{StoreError, Torn};

/// How much of a bad line is kept to show its key.
const SHOWN: usize = 64 * 1024;

/// A walk over the lines: first over those that stand, then, from the first bad one on, only for what they say of the others.
pub(super) struct Walk<'a, 'k> {
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
pub(super) struct FirstBad {
    pub(super) number: u64,
    offset: u64,
    pub(super) bytes: Vec<u8>,
    /// The record that it is, if it is one.
    pub(super) seq: Option<u64>,
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
    pub(super) fn new(snapshot: Snapshot<'a>, lines: Lines<'a>, synced: u64, witnesses: &'a mut Witnesses<'k>) -> Self {
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
    pub(super) fn look_behind(&mut self) {
        while self.error.is_none() {
            match self.step() {
                Ok(Some(_)) => {}
                Ok(None) => return,
                Err(error) => self.error = Some(error),
            }
        }
    }

    pub(super) fn judge(mut self) -> Result<Scan, StoreError> {
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

/// What a line says of the last record that was synced when it was written.
fn acknowledged(raw: &Raw<'_>, line: &Line, session: Uuid) -> u64 {
    let durable = match line {
        Line::Ours(entry) => Some(entry.durable),
        Line::Bad => line::durable_in(session, raw.bytes),
        Line::Foreign | Line::Newer(_) => None,
    };
    durable.unwrap_or(0)
}
