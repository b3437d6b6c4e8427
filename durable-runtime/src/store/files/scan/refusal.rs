//! Why a log is refused, in words.

use super::walk::FirstBad;
use crate::core::record::{Event, FORMAT};
use crate::store::files::layout::{JOURNAL, SNAPSHOT};
use crate::store::files::line::{self, Line};
use crate::store::files::lines::{Lines, Raw};
use crate::store::{Damage, StoreError};

/// Refuses a line that a newer version wrote.
pub(in crate::store::files) fn refuse_newer(file: &str, raw: &Raw<'_>, line: &Line) -> Result<(), StoreError> {
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
pub(in crate::store::files) fn newer(place: String, found: &str) -> StoreError {
    let what =
        format!("{found}, which a newer version wrote; this one knows format {FORMAT}: open it with the newer one");
    StoreError::Newer { place, what }
}

pub(super) fn damage(bad: &FirstBad, expected: u64, key: Option<String>) -> StoreError {
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

pub(super) fn snapshot_is_missing() -> StoreError {
    let what = format!("{SNAPSHOT} is missing, which holds what was left out here; put back both as they were");
    StoreError::Damaged(Damage { file: JOURNAL.to_owned(), line: Some(1), key: None, what })
}

/// The key that the line still shows, else the keys between which it stands. For a message only, so the log is read once
/// more.
pub(super) fn key_of(lines: &mut Lines<'_>, bad: &FirstBad) -> std::io::Result<Option<String>> {
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
