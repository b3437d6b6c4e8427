//! What the lines of a log say: the records that stand, the torn tail behind them, or the damage among them.

mod refusal;
mod walk;

use uuid::Uuid;

use super::layout::JOURNAL;
use super::line::{self, Entry, Line};
use super::lines::{Lines, Raw};
use super::places::Places;
use super::snapshot::Snapshot;
use super::witnesses::Witnesses;
use super::{Durability, failed};
use crate::broken::{self, Broken};
use crate::core::record::{Event, Record};
use crate::store::{Reader, StoreError, Torn};
pub(super) use refusal::{newer, refuse_newer};
use walk::Walk;

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

#[cfg(test)]
mod tests;
