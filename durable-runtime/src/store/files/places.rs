//! Where the results stand that are not kept at hand, so that memory does not grow with them.

use super::layout::{JOURNAL, SNAPSHOT};
use crate::core::record::{Kept, Record};

/// The lines of results, by the number of the record.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The last record that the snapshot stands for: what comes after it is in the log.
    covered: u64,
    snapshot: Vec<Place>,
    journal: Vec<Place>,
}

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of its record.
    pub(super) seq: u64,
    /// Where it begins.
    pub(super) offset: u64,
    /// How long it is, without its line feed.
    pub(super) len: u32,
}

impl Places {
    /// Takes note of a line of the snapshot.
    pub(super) fn in_snapshot(&mut self, record: &Record, offset: u64, len: usize) {
        self.covered = record.seq;
        self.snapshot.extend(place(record, offset, len));
    }

    /// Takes note of a line of the log.
    pub(super) fn in_journal(&mut self, record: &Record, offset: u64, len: usize) {
        self.journal.extend(place(record, offset, len));
    }

    /// The file and the place of a record.
    pub(super) fn of(&self, seq: u64) -> Option<(&'static str, Place)> {
        let (name, places) = if seq <= self.covered { (SNAPSHOT, &self.snapshot) } else { (JOURNAL, &self.journal) };
        let found = places.binary_search_by_key(&seq, |place| place.seq).ok()?;
        Some((name, places[found]))
    }
}

fn place(record: &Record, offset: u64, len: usize) -> Option<Place> {
    let value = record.event.result()?;
    let len = u32::try_from(len).ok()?;
    (!Kept::is_at_hand(value)).then_some(Place { seq: record.seq, offset, len })
}
