//! What the bytes of a log say: the records that stand, the torn tail behind them, or the damage among them.

use uuid::Uuid;

use super::layout::{JOURNAL, TAIL_LINES};
use super::line::{self, Entry, Line};
use crate::broken::{self, Broken};
use crate::core::record::{Event, FORMAT, Record};
use crate::store::{Damage, StoreError, Torn};

/// A log that may be believed.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The records that stand.
    pub(super) records: Vec<Record>,
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
    /// Records are missing somewhere before the last one, and that is known.
    gap: bool,
    /// The numbers of the first and the last record that stand.
    ends: Option<(u64, u64)>,
}

impl Scan {
    /// The last record that stands.
    pub(super) fn last(&self) -> u64 {
        self.ends.map_or(0, |(_, last)| last)
    }

    /// Whether every record that was ever synced stands here.
    pub(super) fn is_whole(&self) -> bool {
        !self.gap && self.last() >= self.durable && self.ends.is_none_or(|(first, _)| first == 1)
    }
}

/// Reads a log. `synced` is what the state view says of the last synced record.
///
/// A record at or before the last synced one cannot be torn: where it is bad or missing, something acknowledged is gone,
/// and to go on would do it twice. What comes after was never acknowledged, and goes from the first bad line on.
pub(super) fn scan(bytes: &[u8], session: Uuid, synced: u64) -> Result<Scan, StoreError> {
    let lines = split(bytes, session);
    refuse_newer(&lines)?;
    let durable = lines.iter().filter_map(|found| found.durable(session)).fold(synced, u64::max);
    let durable = if broken::is(Broken::MarkIgnored) { 0 } else { durable };
    let mut walk = Scan { durable, ..Scan::default() };
    for (index, found) in lines.iter().enumerate() {
        match &found.line {
            Line::Foreign => {}
            Line::Ours(entry) if walk.is_next(entry) => walk.take(entry, found.offset),
            _ => {
                let expected = walk.expected(&lines);
                if expected <= durable || broken::is(Broken::TornTakenForDamage) {
                    return Err(damage(&lines, index, expected));
                }
                walk.torn = Some(Torn { bytes: bytes.len() as u64 - found.offset, line: found.number });
                break;
            }
        }
        walk.end = found.offset + found.bytes.len() as u64 + 1;
    }
    let stand = lines.iter().take_while(|found| found.offset < walk.end).count();
    walk.tail = tail(&lines[..stand]);
    walk.records = lines.into_iter().take(stand).filter_map(Numbered::into_record).collect();
    Ok(walk)
}

/// The session that the log itself names, and the line that does.
pub(super) fn claimed_session(bytes: &[u8]) -> Option<(u64, Uuid)> {
    (1..)
        .zip(bytes.split(|&byte| byte == b'\n'))
        .find_map(|(number, line)| Some((number, line::claimed_session(line)?)))
}

/// Whether the log holds nothing of ours, damaged or not.
pub(super) fn is_foreign(bytes: &[u8]) -> bool {
    split(bytes, Uuid::nil()).iter().all(|found| matches!(found.line, Line::Foreign))
}

impl Scan {
    fn is_next(&self, entry: &Entry) -> bool {
        let (last, seq) = (self.last(), entry.record.seq);
        broken::is(Broken::GapIgnored)
            || self.ends.is_none()
            || seq == last + 1
            || (entry.after == Some(last) && seq > last)
    }

    fn take(&mut self, entry: &Entry, offset: u64) {
        let seq = entry.record.seq;
        let first = self.ends.map_or(seq, |(first, _)| first);
        self.gap |= self.ends.is_some_and(|(_, last)| seq != last + 1);
        if seq > self.durable {
            self.unsynced.get_or_insert(offset);
        }
        self.ends = Some((first, seq));
    }

    /// The number that the next record must have. In front of the first record that stands, the bad lines are taken for
    /// the records just before it.
    fn expected(&self, lines: &[Numbered<'_>]) -> u64 {
        if let Some((_, last)) = self.ends {
            return last + 1;
        }
        let is_bad = |found: &&Numbered<'_>| matches!(found.line, Line::Bad);
        let bad = lines.iter().take_while(|found| found.entry().is_none()).filter(is_bad).count() as u64;
        let first = lines.iter().find_map(Numbered::entry).map_or(1, |entry| entry.record.seq);
        first.saturating_sub(bad).max(1)
    }
}

/// A line and where it stands.
struct Numbered<'a> {
    number: u64,
    offset: u64,
    bytes: &'a [u8],
    line: Line,
}

impl Numbered<'_> {
    fn entry(&self) -> Option<&Entry> {
        if let Line::Ours(entry) = &self.line { Some(entry) } else { None }
    }

    fn into_record(self) -> Option<Record> {
        if let Line::Ours(entry) = self.line { Some(entry.record) } else { None }
    }

    fn durable(&self, session: Uuid) -> Option<u64> {
        match &self.line {
            Line::Ours(entry) => Some(entry.durable),
            Line::Bad => line::durable_in(session, self.bytes),
            Line::Foreign | Line::Newer(_) => None,
        }
    }
}

/// All lines; one without its line feed is not finished, whatever it says.
fn split(bytes: &[u8], session: Uuid) -> Vec<Numbered<'_>> {
    let mut offset = 0;
    (1..)
        .zip(bytes.split_inclusive(|&byte| byte == b'\n'))
        .map(|(number, ended)| {
            let bytes = ended.strip_suffix(b"\n");
            let line = bytes.map_or(Line::Bad, |bytes| line::decode(session, bytes));
            let found = Numbered { number, offset, bytes: bytes.unwrap_or(ended), line };
            offset += ended.len() as u64;
            found
        })
        .collect()
}

fn refuse_newer(lines: &[Numbered<'_>]) -> Result<(), StoreError> {
    for found in lines {
        let place = || format!("{JOURNAL} line {}", found.number);
        match &found.line {
            Line::Newer(what) => return Err(newer(place(), &format!("it holds {what}"))),
            Line::Ours(entry) => {
                if let Event::Boot(boot) = &entry.record.event
                    && boot.format > FORMAT
                {
                    return Err(newer(place(), &format!("it has format {}", boot.format)));
                }
            }
            Line::Foreign | Line::Bad => {}
        }
    }
    Ok(())
}

/// A newer version wrote this.
pub(super) fn newer(place: String, found: &str) -> StoreError {
    let what =
        format!("{found}, which a newer version wrote; this one knows format {FORMAT}: open it with the newer one");
    StoreError::Newer { place, what }
}

fn damage(lines: &[Numbered<'_>], index: usize, expected: u64) -> StoreError {
    let found = &lines[index];
    let what = match found.entry() {
        Some(entry) => format!("record {} stands where record {expected} belongs, which was synced", entry.record.seq),
        None => format!("this line cannot be read, though record {expected}, which belongs here, was synced"),
    };
    StoreError::Damaged(Damage {
        file: JOURNAL.to_owned(),
        line: Some(found.number),
        key: key_of(lines, index),
        what: format!(
            "{what}; put back a copy that holds it; an older one has forgotten effects, and lets them happen again"
        ),
    })
}

/// The key that the line still shows, else the keys between which it stands.
fn key_of(lines: &[Numbered<'_>], index: usize) -> Option<String> {
    if lines[index].entry().is_none()
        && let Some(key) = line::key_in(lines[index].bytes)
    {
        return Some(key);
    }
    let before = lines[..index].iter().rev().find_map(|found| line::key_in(found.bytes));
    let after = lines[index..].iter().find_map(|found| line::key_in(found.bytes));
    match (before, after) {
        (Some(before), Some(after)) => Some(format!("between {before} and {after}")),
        (Some(before), None) => Some(format!("after {before}")),
        (None, Some(after)) => Some(format!("before {after}")),
        (None, None) => None,
    }
}

fn tail(lines: &[Numbered<'_>]) -> Vec<String> {
    let text = |found: &Numbered<'_>| String::from_utf8_lossy(found.bytes).into_owned();
    lines[lines.len().saturating_sub(TAIL_LINES)..].iter().map(text).collect()
}

#[cfg(test)]
mod tests;
