//! A log that was shrunk: the lines of it that still matter, as they were written, then a `trim` record, and behind that the
//! keys of all others.
//!
//! It is durable before anything is left out of the log, and never changed: where it cannot be read it is damaged.

use uuid::Uuid;

use super::failed;
use super::layout::SNAPSHOT;
use super::line::{self, Decoder, Line};
use super::lines::{Lines, Raw};
use super::scan::refuse_newer;
use crate::core::record::{Event, Record, Trim};
use crate::store::{Damage, StoreError};

/// Reads the records of a snapshot, if there is one.
pub(super) struct Snapshot<'a> {
    lines: Lines<'a>,
    session: Uuid,
    decoder: Decoder,
    /// How many records were read.
    count: u64,
    /// The number of the last one.
    last: u64,
    end: Option<Trimmed>,
}

/// The end of the records that are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trimmed {
    /// The last record of the log that it stands for.
    pub(super) seq: u64,
    /// What it says.
    pub(super) trim: Trim,
}

impl<'a> Snapshot<'a> {
    pub(super) fn new(lines: Lines<'a>, session: Uuid) -> Self {
        Self { lines, session, decoder: Decoder::new(session), count: 0, last: 0, end: None }
    }

    /// The session that it is of.
    pub(super) fn session(&self) -> Uuid {
        self.session
    }

    /// The end, once all is read up to there; `None` if there is no snapshot.
    pub(super) fn end(&self) -> Option<Trimmed> {
        self.end
    }

    /// The next record that was kept, or the `trim` behind them, and its line.
    pub(super) fn next(&mut self) -> Result<Option<(Record, Raw<'_>)>, StoreError> {
        if self.end.is_some() {
            return Ok(None);
        }
        if !self.lines.has_next().map_err(failed("read", SNAPSHOT))? && self.count == 0 && self.lines.is_missing() {
            return Ok(None);
        }
        let Some(raw) = self.lines.next().map_err(failed("read", SNAPSHOT))? else {
            return Err(ends_early(self.count + 1));
        };
        let record = read(&raw, &mut self.decoder)?;
        if let Event::Trim(trim) = &record.event {
            if trim.records != self.count {
                let what = format!("{} records stand before it, of {}", self.count, trim.records);
                return Err(damaged(raw.number, None, &what));
            }
            self.end = Some(Trimmed { seq: record.seq, trim: *trim });
        } else if record.seq <= self.last {
            return Err(damaged(
                raw.number,
                line::key_in(raw.bytes),
                &format!("it stands behind record {}", self.last),
            ));
        }
        (self.count, self.last) = (self.count + 1, record.seq);
        Ok(Some((record, raw)))
    }

    /// Every key of the log that it stands for, also of the records that were left out.
    pub(super) fn keys(&mut self) -> Result<Vec<String>, StoreError> {
        self.lines.rewind();
        (self.count, self.last, self.end) = (0, 0, None);
        let mut keys = Vec::new();
        while let Some((record, _)) = self.next()? {
            keys.extend(record.event.reserved().map(str::to_owned));
        }
        keys.extend(self.closed()?);
        Ok(keys)
    }

    /// The keys of the records that were left out. They stand behind the end.
    pub(super) fn closed(&mut self) -> Result<Vec<String>, StoreError> {
        let Some(end) = self.end else { return Ok(Vec::new()) };
        let mut keys = Vec::new();
        while (keys.len() as u64) < end.trim.closed {
            let Some(raw) = self.lines.next().map_err(failed("read", SNAPSHOT))? else {
                return Err(ends_early(self.count + 1));
            };
            let Event::Closed(closed) = read(&raw, &mut self.decoder)?.event else {
                return Err(damaged(raw.number, None, "it is no list of keys"));
            };
            keys.extend(closed.keys);
        }
        Ok(keys)
    }
}

fn read(raw: &Raw<'_>, decoder: &mut Decoder) -> Result<Record, StoreError> {
    let line = if raw.is_ended { decoder.decode(raw.bytes) } else { Line::Bad };
    refuse_newer(SNAPSHOT, raw, &line)?;
    match line {
        Line::Ours(entry) => Ok(entry.record),
        _ => Err(damaged(raw.number, line::key_in(raw.bytes), "this line cannot be read")),
    }
}

fn ends_early(line: u64) -> StoreError {
    damaged(line, None, "it ends before its last line")
}

fn damaged(line: u64, key: Option<String>, what: &str) -> StoreError {
    let what = format!("{what}, and every record that it holds was synced; put back a copy that can be read");
    StoreError::Damaged(Damage { file: SNAPSHOT.to_owned(), line: Some(line), key, what })
}
