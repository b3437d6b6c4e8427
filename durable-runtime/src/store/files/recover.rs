//! What a session's files say together: bytes in, a judgement out; nothing is changed before it is made.

use serde::Deserialize;
use uuid::Uuid;

use super::id::{Claims, SessionId};
use super::keys::Keys;
use super::layout::{HANDOFF, JOURNAL, LOCK, REGISTRY, STATE};
use super::lines::Lines;
use super::listing::{Listed, Listing};
use super::scan::{self, Scan, newer};
use super::snapshot::Snapshot;
use super::witnesses::Witnesses;
use super::{failed, views};
use crate::core::record::FORMAT;
use crate::core::view::StateView;
use crate::store::{Damage, Opened, Reader, StoreError};

/// The files as they were read; `None` for one that is not there.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    /// `session.lock`.
    pub(super) lock: Option<Vec<u8>>,
    /// `state.json`.
    pub(super) state: Option<Vec<u8>>,
    /// `handoff.md`.
    pub(super) handoff: Option<Vec<u8>>,
}

/// The files that are read piece by piece.
pub(super) struct Sources<'a> {
    /// `snapshot.jsonl`.
    pub(super) snapshot: Lines<'a>,
    /// `journal.jsonl`.
    pub(super) journal: Lines<'a>,
    /// `idempotency.json`.
    pub(super) registry: Listing<'a>,
}

/// A session that may be resumed.
#[derive(Debug)]
pub(super) struct Recovered {
    /// Its id; a new one if it has none yet.
    pub(super) session: SessionId,
    /// The log.
    pub(super) scan: Scan,
    /// Whether the log's file is there.
    pub(super) has_journal: bool,
    /// The registry, as far as it was read.
    pub(super) listed: Listed,
    /// Keys of the log that the registry lacks.
    pub(super) unwitnessed: Vec<String>,
    /// Keys that only the registry names.
    pub(super) unlogged: Vec<String>,
    /// Keys of both of which the log does not have the first attempt.
    pub(super) known: Vec<String>,
    state: Option<StateView>,
    handoff: Option<String>,
}

/// Judges the files and the lines of the log. `new_id` makes the id of a session that has none yet.
pub(super) fn recover(
    files: &Files,
    Sources { snapshot, mut journal, mut registry }: Sources<'_>,
    new_id: impl FnOnce() -> Uuid,
    reader: Reader,
) -> Result<Recovered, StoreError> {
    let state = read_state(files.state.as_deref())?;
    let named = scan::claimed_session(&mut journal).map_err(failed("read", JOURNAL))?;
    let session = match claims(files, named)?.agree()? {
        Some(session) => session,
        None => first_session(&mut registry, &mut journal, new_id)?,
    };
    let mut witnesses = Witnesses::new(registry);
    let has_journal = !journal.is_missing();
    let known = known(state.as_ref(), has_journal);
    let scan = scan::scan(Snapshot::new(snapshot, session.id), journal, known, &mut witnesses, reader)?;
    judge(&scan, &witnesses)?;
    if !session.unwritten && !has_journal && files.handoff.is_some() && state.is_none() {
        refuse_what_only_a_letter_remembers(&scan, &witnesses)?;
    }
    let unwitnessed = witnesses.lacks().iter().map(|(_, key)| key.clone()).collect();
    let unlogged = witnesses.unlogged();
    let known = witnesses.lost().iter().chain(&unlogged).cloned().collect();
    let handoff = files.handoff.as_deref().map(views::handoff_text);
    let listed = witnesses.into_listed();
    Ok(Recovered { session, scan, has_journal, listed, unwitnessed, unlogged, known, state, handoff })
}

/// What each file says of the session's id; `journal` is what the log says, with the line.
pub(super) fn claims(files: &Files, journal: Option<(u64, Uuid)>) -> Result<Claims, StoreError> {
    let state = read_state(files.state.as_deref())?.map(|state| state.durable.session);
    Ok(Claims { lock: files.lock.clone(), journal, state })
}

impl Recovered {
    /// Whether the registry is there and can be read.
    pub(super) fn has_registry(&self) -> bool {
        self.listed.keys().is_some()
    }

    /// What the session is told.
    pub(super) fn into_opened(self) -> Opened {
        Opened {
            session: Some(self.session.id),
            first: self.scan.first(),
            last: self.scan.last(),
            durable: self.scan.durable,
            unlogged: self.unlogged,
            place: None,
            exposed: Vec::new(),
            state: self.state,
            handoff: self.handoff,
            torn: self.scan.torn,
            tail: self.scan.tail,
        }
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
    Ok(serde_json::from_slice(bytes).ok().filter(StateView::is_reachable))
}

/// A new id where no file knows one: only where nothing says that there was a session.
///
/// The id is durable before anything else is written, so what stands here without one has lost it.
fn first_session(
    registry: &mut Listing<'_>,
    journal: &mut Lines<'_>,
    new_id: impl FnOnce() -> Uuid,
) -> Result<SessionId, StoreError> {
    let lost = |file: &str, key: Option<String>, what: &str| {
        let what = format!("{what}, and no file says which session it belongs to; put back {LOCK}");
        Err(StoreError::Damaged(Damage { file: file.to_owned(), line: None, key, what }))
    };
    if !scan::is_foreign(journal).map_err(failed("read", JOURNAL))? {
        return lost(JOURNAL, None, "it holds records");
    }
    if let Some(line) = scan::strange(journal).map_err(failed("read", JOURNAL))? {
        return Err(of_another_program(line));
    }
    match registry.whole().map_err(failed("read", REGISTRY))? {
        Listed::Keys { keys, .. } if keys.first().is_some() => {
            lost(REGISTRY, keys.first().map(str::to_owned), "it holds keys")
        }
        Listed::Unreadable { names_nothing: false } => lost(REGISTRY, None, "it holds keys"),
        _ => Ok(SessionId { id: new_id(), unwritten: true }),
    }
}

/// A directory whose log is somebody else's is none to begin a session in.
fn of_another_program(line: u64) -> StoreError {
    StoreError::Damaged(Damage {
        file: JOURNAL.to_owned(),
        line: Some(line),
        key: None,
        what: format!(
            "another program wrote this (it has no `t` and `action`), and without {LOCK} nothing says that a session is here; \
             give the session a directory of its own"
        ),
    })
}

/// Where the log has lost records, the registry alone knows what they reserved: without it, or with one that is older
/// than the log that is left, an effect would happen twice.
fn judge(scan: &Scan, witnesses: &Witnesses<'_>) -> Result<(), StoreError> {
    let is_empty = scan.first().is_none();
    let keys = witnesses.listed().keys();
    let is_spoilt = matches!(witnesses.listed(), Listed::Unreadable { names_nothing: false });
    let is_lost = !scan.is_whole() || (is_spoilt && is_empty);
    // A key is there only if its reservation was synced: what then has no readable record was not torn.
    if let (true, Some(torn), Some(key)) = (is_empty, scan.torn, keys.and_then(Keys::first)) {
        return Err(unreadable(torn.line, key));
    }
    if is_lost {
        let Some(_) = keys else { return Err(no_witness(scan, !matches!(witnesses.listed(), Listed::Missing))) };
        // A kill may come between the sync of a reservation and the write of its key.
        if let Some((_, key)) = witnesses.lacks().iter().find(|(seq, _)| *seq <= scan.durable) {
            return Err(old_witness(scan, key));
        }
    }
    Ok(())
}

/// The log has its name before any letter is written. So where there is a letter and nothing else, a hand took the rest, and what
/// had begun nobody knows. The letter itself is read for nothing.
fn refuse_what_only_a_letter_remembers(scan: &Scan, witnesses: &Witnesses<'_>) -> Result<(), StoreError> {
    if scan.first().is_some() || witnesses.listed().keys().is_some() {
        return Ok(());
    }
    Err(StoreError::Damaged(Damage {
        file: JOURNAL.to_owned(),
        line: None,
        key: None,
        what: format!(
            "it is missing, and so are {REGISTRY} and {STATE}, though {HANDOFF} shows that there was a session; put back the \
             newest copy of them, or, if there was none, keep {HANDOFF} somewhere else"
        ),
    }))
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
pub(super) fn loss(scan: &Scan) -> String {
    match scan.first() {
        None => format!("{JOURNAL} has no record, though there were {}", scan.durable),
        Some(_) if scan.last() < scan.durable => {
            format!("{JOURNAL} ends at record {}, though {} were synced", scan.last(), scan.durable)
        }
        Some(first) if first > 1 => format!("{JOURNAL} begins at record {first}"),
        Some(_) => format!("{JOURNAL} has a gap"),
    }
}

#[cfg(test)]
mod tests;
