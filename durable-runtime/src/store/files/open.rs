//! Taking a session: lock, read everything, judge, and only then write the id of a new one.

use std::sync::Arc;

use uuid::Uuid;

use super::disk::{Disk, Guard, Replace, if_exists};
use super::id;
use super::journal::Journal;
use super::layout::{BLOBS, DIRECTORY, HANDOFF, JOURNAL, LATER, LOCK, REGISTRY, STATE};
use super::log::{Log, Repair};
use super::recover::{Files, Recovered, recover};
use super::registry::Registry;
use super::scan::newer;
use super::{Durability, failed};
use crate::core::record::Event;
use crate::core::view::StateView;
use crate::store::{Opened, StoreError};

/// A session that is held.
pub(super) struct Taken {
    /// Given back when dropped.
    pub(super) locks: Vec<Guard>,
    /// Its id.
    pub(super) session: Uuid,
    /// Its log.
    pub(super) log: Log,
    /// What was found.
    pub(super) opened: Opened,
}

/// Takes the session. A refusal leaves every byte as it was.
pub(super) fn open(disk: Arc<dyn Disk>, durability: Durability) -> Result<Taken, StoreError> {
    disk.create_dir().map_err(failed("create", &disk.place()))?;
    let mut locks = vec![lock(&*disk, DIRECTORY)?];
    let exists = if_exists(disk.identity(LOCK)).map_err(failed("look at", LOCK))?.is_some();
    if exists {
        locks.push(lock(&*disk, LOCK)?);
    }
    refuse_later(&*disk)?;
    refuse_strange_blobs(&*disk)?;
    let files = read(&*disk)?;
    let recovered = recover(&files, || disk.new_id())?;
    let registry = read_registry(&*disk, &files, &recovered)?;
    // Until a sync of the log is known, the id may stand in the page cache only: a power cut would take it from under a
    // log that is seeded with it.
    if recovered.session.unwritten || recovered.scan.durable == 0 {
        disk.sync_parent().map_err(failed("sync the parent of", &disk.place()))?;
        id::write(&*disk, recovered.session.id, exists).map_err(failed("write", LOCK))?;
        if !exists {
            locks.push(lock(&*disk, LOCK)?);
        }
    }
    let repair = plan(&recovered, &files, durability);
    let session = recovered.session.id;
    let last = recovered.scan.last();
    let (opened, scan) = recovered.into_opened();
    let journal = Journal::new(session, last, last.max(scan.durable));
    let log = Log::new(disk, durability, journal, registry, repair);
    Ok(Taken { locks, session, log, opened })
}

fn lock(disk: &dyn Disk, name: &str) -> Result<Guard, StoreError> {
    let locked = disk.lock(name).map_err(failed("lock", name))?;
    locked.ok_or_else(|| StoreError::Busy { holder: holder(disk) })
}

/// Who holds the session, by its own word; a hint for messages.
fn holder(disk: &dyn Disk) -> Option<String> {
    let state: StateView = serde_json::from_slice(&disk.read(STATE).ok()?).ok()?;
    Some(format!("process {}", state.durable.pid))
}

fn refuse_later(disk: &dyn Disk) -> Result<(), StoreError> {
    for name in LATER {
        if if_exists(disk.identity(name)).map_err(failed("look at", name))?.is_some() {
            return Err(newer(name.to_owned(), "it is there"));
        }
    }
    Ok(())
}

/// What bears the name of the inner directory must be one: through a symbolic link, others could change what it holds.
fn refuse_strange_blobs(disk: &dyn Disk) -> Result<(), StoreError> {
    match if_exists(disk.identity(BLOBS)).map_err(failed("look at", BLOBS))? {
        Some(_) => disk.create_inner(BLOBS).map_err(failed("open", BLOBS)),
        None => Ok(()),
    }
}

fn read(disk: &dyn Disk) -> Result<Files, StoreError> {
    let read = |name| if_exists(disk.read(name)).map_err(failed("read", name));
    Ok(Files {
        lock: read(LOCK)?,
        state: read(STATE)?,
        handoff: read(HANDOFF)?,
        journal: read(JOURNAL)?,
        registry: read(REGISTRY)?,
    })
}

fn read_registry(disk: &dyn Disk, files: &Files, recovered: &Recovered) -> Result<Registry, StoreError> {
    match (&files.registry, &recovered.registry) {
        (Some(bytes), Some(keys)) => Registry::read(disk, bytes, keys).map_err(failed("look at", REGISTRY)),
        _ => Ok(Registry::default()),
    }
}

fn plan(recovered: &Recovered, files: &Files, durability: Durability) -> Repair {
    let scan = &recovered.scan;
    let journal = files.journal.as_deref().unwrap_or_default();
    let from = if durability == Durability::PowerSafe && was_process_safe(recovered) { Some(0) } else { scan.unsynced };
    let stands = |from: u64| journal.get(usize::try_from(from).ok()?..usize::try_from(scan.end).ok()?);
    Repair {
        create: files.journal.is_none(),
        rewrite: from.and_then(|from| Some((from, stands(from)?.to_vec()))),
        cut: scan.torn.map(|_| scan.end),
        registry: plan_registry(recovered),
    }
}

/// Under [`Durability::ProcessSafe`] nothing was synced, whatever the records say.
fn was_process_safe(recovered: &Recovered) -> bool {
    let boots = recovered.scan.records.iter().rev().filter_map(|record| match &record.event {
        Event::Boot(boot) => Some(boot.durability.as_str()),
        _ => None,
    });
    boots.into_iter().next() == Some(Durability::ProcessSafe.as_str())
}

/// A registry that is the only witness of lost records is made durable before it is believed.
fn plan_registry(recovered: &Recovered) -> Option<(Replace, Vec<String>)> {
    let complete = recovered.registry.is_some() && recovered.unwitnessed.is_empty();
    if complete && recovered.scan.is_whole() {
        return None;
    }
    let is_new = recovered.scan.records.is_empty() && recovered.scan.is_whole();
    let how = if is_new { Replace::Unsynced } else { Replace::Synced };
    Some((how, recovered.unwitnessed.clone()))
}
