//! The log while a session is held: what was written, what was synced, and what must still be told to the witness.

use std::io;

use uuid::Uuid;

use super::disk::Disk;
use super::layout::JOURNAL;
use super::places::{Place, Places};
use super::{failed, line};
use crate::broken::{self, Broken};
use crate::core::record::{Event, Record};
use crate::store::StoreError;

/// What a line takes that holds no large value, in bytes.
const USUAL: usize = 512;

/// The end of the log.
#[derive(Debug)]
pub(super) struct Journal {
    session: Uuid,
    /// Where the next line begins.
    end: u64,
    places: Places,
    /// The last record in the log.
    written: u64,
    /// The last record that had been written when the last successful sync was called.
    durable: u64,
    /// Nothing was appended since the session was opened.
    untouched: bool,
    /// Reserved keys that the registry does not hold yet.
    unwitnessed: Vec<(u64, String)>,
    poison: Option<StoreError>,
}

impl Journal {
    /// The log behind the record `written`, all of it synced, whose lines end at `end`.
    pub(super) fn new(session: Uuid, end: u64, places: Places, written: u64, durable: u64) -> Self {
        Self { session, end, places, written, durable, untouched: true, unwitnessed: Vec::new(), poison: None }
    }

    /// Writes the records in one write, unsynced.
    ///
    /// A write that fails, or is short, is not tried again: a second one would stand behind half a record.
    pub(super) fn append(&mut self, disk: &dyn Disk, records: &[Record]) -> Result<(), StoreError> {
        self.check()?;
        let (text, lines) = self.encode(records)?;
        if let Err(error) = disk.append(JOURNAL, &text) {
            return Err(self.poison(failed("append to", JOURNAL)(error)));
        }
        for (record, len) in records.iter().zip(lines) {
            self.places.in_journal(record, self.end, len - 1);
            self.end += len as u64;
            self.written = record.seq;
            self.untouched = false;
            // With every later attempt the registry has the key already.
            if let Event::Reserve(reserve) = &record.event
                && reserve.attempt == 1
            {
                self.unwitnessed.push((record.seq, reserve.key.to_string()));
            }
        }
        Ok(())
    }

    /// Where the result of a record stands.
    pub(super) fn place(&self, seq: u64) -> Option<(&'static str, Place)> {
        self.places.of(seq)
    }

    /// The log was shrunk, and is so long now.
    pub(super) fn shrunk(&mut self, end: u64, places: Places) {
        (self.end, self.places) = (end, places);
    }

    /// The session that it is the log of.
    pub(super) fn session(&self) -> Uuid {
        self.session
    }

    /// What a sync that is called now will cover; `None` if there is nothing to cover.
    pub(super) fn mark(&self) -> Result<Option<u64>, StoreError> {
        self.check()?;
        Ok((self.written > self.durable).then_some(self.written))
    }

    /// Takes note that all up to `mark` is durable, and hands out the keys that the registry must hold now.
    pub(super) fn synced(&mut self, mark: u64) -> Vec<String> {
        self.durable = self.durable.max(mark);
        let count = self.unwitnessed.partition_point(|&(seq, _)| seq <= mark);
        self.unwitnessed.drain(..count).map(|(_, key)| key).collect()
    }

    /// From now on every append gives this error: after a failed sync the system may report success for bytes that it
    /// has dropped, so nothing that it says of this log can be believed.
    pub(super) fn poison(&mut self, error: StoreError) -> StoreError {
        self.poison.get_or_insert(error).clone()
    }

    fn check(&self) -> Result<(), StoreError> {
        if broken::is(Broken::PoisonForgotten) {
            return Ok(());
        }
        self.poison.clone().map_or(Ok(()), Err)
    }

    /// The lines of the records, and how long each is with its line feed.
    fn encode(&self, records: &[Record]) -> Result<(Vec<u8>, Vec<usize>), StoreError> {
        let mut text = Vec::with_capacity(records.len() * USUAL);
        let mut lines = Vec::with_capacity(records.len());
        let mut last = self.written;
        let durable = if broken::is(Broken::MarkRunsAhead) { self.written } else { self.durable };
        for record in records {
            let follows = record.seq == last + 1;
            // Where records that were synced are lost, their numbers are not given again: a later boot would take the
            // new ones for damaged old ones.
            let first = self.untouched && last == self.written;
            let fits = if first { record.seq > last.max(self.durable) } else { follows };
            if !fits {
                let last = last.max(self.durable);
                return Err(invalid(format!("record {} does not follow record {last}", record.seq)));
            }
            let after = (!follows).then_some(last);
            let start = text.len();
            line::encode(&mut text, self.session, record, durable, after).map_err(invalid)?;
            lines.push(text.len() - start);
            last = record.seq;
        }
        Ok((text, lines))
    }
}

/// A mistake of the caller: nothing was written, so nothing is in doubt.
fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    let error = io::Error::new(io::ErrorKind::InvalidInput, error);
    StoreError::io(format!("encode a record for {JOURNAL}"), error)
}
