//! What a session's files say together. Pure: bytes in, a judgement out; nothing is touched before it is made.

use std::collections::BTreeSet;

use serde::Deserialize;
use uuid::Uuid;

use super::id::{Claims, SessionId};
use super::layout::{JOURNAL, LOCK, REGISTRY, STATE};
use super::scan::{self, Scan, newer};
use super::{registry, views};
use crate::core::record::{Event, FORMAT, Record};
use crate::core::view::StateView;
use crate::store::{Damage, Opened, StoreError};

/// The files as they were read; `None` for one that is not there.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    /// `session.lock`.
    pub(super) lock: Option<Vec<u8>>,
    /// `journal.jsonl`.
    pub(super) journal: Option<Vec<u8>>,
    /// `idempotency.json`.
    pub(super) registry: Option<Vec<u8>>,
    /// `state.json`.
    pub(super) state: Option<Vec<u8>>,
    /// `handoff.md`.
    pub(super) handoff: Option<Vec<u8>>,
}

/// A session that may be resumed.
#[derive(Debug)]
pub(super) struct Recovered {
    /// Its id; a new one if it has none yet.
    pub(super) session: SessionId,
    /// The log.
    pub(super) scan: Scan,
    /// The keys that the registry names; `None` if it is missing or cannot be read.
    pub(super) registry: Option<Vec<String>>,
    /// Keys of the log that the registry lacks.
    pub(super) unwitnessed: Vec<String>,
    state: Option<StateView>,
    handoff: Option<String>,
}

/// Judges the files. `new_id` makes the id of a session that has none yet.
pub(super) fn recover(files: &Files, new_id: impl FnOnce() -> Uuid) -> Result<Recovered, StoreError> {
    let journal = files.journal.as_deref().unwrap_or_default();
    let state = read_state(files.state.as_deref())?;
    let claims = Claims {
        lock: files.lock.clone(),
        journal: scan::claimed_session(journal),
        state: state.as_ref().map(|state| state.durable.session),
    };
    let session = match claims.agree()? {
        Some(session) => session,
        None => first_session(files, journal, new_id)?,
    };
    let scan = scan::scan(journal, session.id, known(state.as_ref(), files.journal.is_some()))?;
    let (registry, unwitnessed) = witness(&scan, files.registry.as_deref())?;
    let handoff = files.handoff.as_deref().map(views::handoff_text);
    Ok(Recovered { session, scan, registry, unwitnessed, state, handoff })
}

impl Recovered {
    /// What the session is told, and the log without its records.
    pub(super) fn into_opened(mut self) -> (Opened, Scan) {
        let opened = Opened {
            session: Some(self.session.id),
            records: std::mem::take(&mut self.scan.records),
            durable: self.scan.durable,
            registry: self.registry,
            state: self.state,
            handoff: self.handoff,
            torn: self.scan.torn,
            tail: std::mem::take(&mut self.scan.tail),
        };
        (opened, self.scan)
    }
}

/// The last record that the state view knows to have been durable. The log's file is durable before any view is written:
/// where it is gone, a hand took it, and with it every record that the view knows of.
fn known(state: Option<&StateView>, log_exists: bool) -> u64 {
    state.map_or(0, |state| if log_exists { state.durable.synced } else { state.durable.seq })
}

/// The state view, if it can be read. It decides nothing, so one that cannot is as good as none.
fn read_state(bytes: Option<&[u8]>) -> Result<Option<StateView>, StoreError> {
    #[derive(Deserialize)]
    struct Versioned {
        durable: Format,
    }
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let Some(bytes) = bytes else { return Ok(None) };
    if let Ok(found) = serde_json::from_slice::<Versioned>(bytes)
        && found.durable.format > FORMAT
    {
        return Err(newer(STATE.to_owned(), &format!("it has format {}", found.durable.format)));
    }
    Ok(serde_json::from_slice(bytes).ok())
}

/// A new id where no file knows one: only where nothing says that there was a session.
///
/// The id is durable before anything else is written, so what stands here without one has lost it.
fn first_session(files: &Files, journal: &[u8], new_id: impl FnOnce() -> Uuid) -> Result<SessionId, StoreError> {
    let lost = |file: &str, key: Option<String>, what: &str| {
        let what = format!("{what}, and no file says which session it belongs to; put back {LOCK}");
        Err(StoreError::Damaged(Damage { file: file.to_owned(), line: None, key, what }))
    };
    if !scan::is_foreign(journal) {
        return lost(JOURNAL, None, "it holds records");
    }
    match files.registry.as_deref() {
        Some(bytes) if !registry::names_nothing(bytes) => {
            let key = registry::parse(bytes).and_then(|keys| keys.into_iter().next());
            lost(REGISTRY, key, "it holds keys")
        }
        _ => Ok(SessionId { id: new_id(), unwritten: true }),
    }
}

/// The registry's keys, and those that it lacks.
///
/// Where the log has lost records, the registry alone knows what they reserved: without it, or with one that is older
/// than the log that is left, an effect would happen twice.
fn witness(scan: &Scan, bytes: Option<&[u8]>) -> Result<(Option<Vec<String>>, Vec<String>), StoreError> {
    let parsed = bytes.map(registry::parse);
    let is_lost = match &parsed {
        Some(None) => !scan.is_whole() || (scan.records.is_empty() && !bytes.is_none_or(registry::names_nothing)),
        _ => !scan.is_whole(),
    };
    let keys = parsed.flatten();
    // A key is there only if its reservation was synced: what then has no readable record was not torn.
    if let (true, Some(torn), Some(key)) = (scan.records.is_empty(), scan.torn, keys.iter().flatten().next()) {
        return Err(unreadable(torn.line, key));
    }
    let has: BTreeSet<&str> = keys.iter().flatten().map(String::as_str).collect();
    let lacks: Vec<_> = scan.records.iter().flat_map(keys_of).filter(|(_, key)| !has.contains(key)).collect();
    if is_lost {
        let Some(_) = keys else { return Err(no_witness(scan, bytes.is_some())) };
        // A kill may come between the sync of a reservation and the write of its key.
        if let Some((_, key)) = lacks.iter().find(|&&(seq, _)| seq <= scan.durable) {
            return Err(old_witness(scan, key));
        }
    }
    let mut known = BTreeSet::new();
    let lacks = lacks.into_iter().filter(|(_, key)| known.insert(*key)).map(|(_, key)| key.to_owned()).collect();
    Ok((keys, lacks))
}

/// The keys that a record says were reserved.
fn keys_of(record: &Record) -> impl Iterator<Item = (u64, &str)> {
    let keys = match &record.event {
        Event::Reserve(reserve) => std::slice::from_ref(&reserve.key),
        Event::Lost(lost) => &lost.keys,
        _ => &[],
    };
    keys.iter().map(|key| (record.seq, key.as_str()))
}

fn no_witness(scan: &Scan, exists: bool) -> StoreError {
    let registry = if exists { "cannot be read" } else { "is missing" };
    StoreError::Damaged(Damage {
        file: REGISTRY.to_owned(),
        line: None,
        key: None,
        what: format!("it {registry}, and {}; put back the newest copy of either", loss(scan)),
    })
}

fn unreadable(line: u64, key: &str) -> StoreError {
    StoreError::Damaged(Damage {
        file: JOURNAL.to_owned(),
        line: Some(line),
        key: Some(key.to_owned()),
        what: format!(
            "no record can be read from here on, though {REGISTRY} names this key, whose reservation was synced; put back \
             a copy that can be read, as it was written: no byte of it may be converted"
        ),
    })
}

fn old_witness(scan: &Scan, key: &str) -> StoreError {
    StoreError::Damaged(Damage {
        file: REGISTRY.to_owned(),
        line: None,
        key: Some(key.to_owned()),
        what: format!(
            "it lacks this key of the log, so it may lack others, and {}; put back the newest copy of either",
            loss(scan)
        ),
    })
}

/// Which records the log has lost.
fn loss(scan: &Scan) -> String {
    match scan.records.first() {
        None => format!("{JOURNAL} has no record, though there were {}", scan.durable),
        Some(_) if scan.last() < scan.durable => {
            format!("{JOURNAL} ends at record {}, though {} were synced", scan.last(), scan.durable)
        }
        Some(first) if first.seq > 1 => format!("{JOURNAL} begins at record {}", first.seq),
        Some(_) => format!("{JOURNAL} has a gap"),
    }
}

#[cfg(test)]
mod tests;
