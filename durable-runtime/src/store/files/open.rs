//! Taking a session: lock, read everything, judge, and only then write the id of a new one.

use std::io;
use std::sync::Arc;

use uuid::Uuid;

use super::disk::{Disk, Guard, Replace, if_exists};
use super::guard;
use super::holder::{self, Holder};
use super::id;
use super::journal::Journal;
use super::layout::{BLOBS, DIRECTORY, HANDOFF, JOURNAL, LOCK, REGISTRY, SNAPSHOT, STATE};
use super::lines::{CHUNK, Lines, Source};
use super::listing::{Listed, Listing};
use super::log::{Lacking, Log, Repair};
use super::place::{self, Place};
use super::recover::{Files, Recovered, Sources, recover};
use super::registry::Registry;
use super::{Durability, failed};
use crate::core::view::StateView;
use crate::store::{Opened, Reader, StoreError};

/// No state, no handoff and no lock file of ours is as long.
const LONGEST_VIEW: usize = 16 * 1024 * 1024;

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

/// What is taken that would be refused else.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Terms {
    /// A session that is not where it was.
    pub(super) moved: bool,
    /// A directory on a file system of another machine.
    pub(super) network: bool,
}

/// Takes the session. A refusal leaves every byte as it was.
pub(super) fn open(
    disk: Arc<dyn Disk>,
    durability: Durability,
    terms: Terms,
    reader: Reader,
) -> Result<Taken, StoreError> {
    if !terms.network {
        place::refuse_network(&*disk)?;
    }
    disk.create_dir().map_err(guard::not_made).map_err(failed("create", &disk.place()))?;
    let mut locks = lock_what_exists(&*disk)?;
    let exists = locks.len() > 1;
    let exposed = guard::refuse_foreign(&*disk)?;
    guard::refuse_shared(&*disk, &exposed)?;
    refuse_strange_blobs(&*disk)?;
    let files = read(&*disk)?;
    let mut recovered = recover(&files, sources(&*disk)?, || disk.new_id(), reader)?;
    let registry = read_registry(&*disk, &recovered)?;
    if !terms.moved {
        place::refuse_moved(&*disk, recovered.scan.place.as_deref())?;
    }
    // Until a sync of the log is known, the id may stand in the page cache only: a power cut would take it from under a
    // log that is seeded with it.
    if recovered.session.unwritten || recovered.scan.durable == 0 {
        disk.sync_parent().map_err(failed("sync the parent of", &disk.place()))?;
        id::write(&*disk, recovered.session.id, exists).map_err(failed("write", LOCK))?;
        if !exists {
            locks.push(lock(&*disk, LOCK)?);
        }
    }
    let told = exposed.iter().filter(|exposed| exposed.is_writable());
    let told = told.map(|exposed| format!("{}: {}", exposed.name, exposed.what())).collect();
    let repair = Repair { exposed, ..plan(&recovered, durability) };
    let session = recovered.session.id;
    let (end, places) = (recovered.scan.end, std::mem::take(&mut recovered.scan.places));
    let place = Place::of(&*disk).map_err(failed("look at", LOCK))?.map(|place| place.to_string());
    let opened = Opened { place, exposed: told, ..recovered.into_opened() };
    let journal = Journal::new(session, end, places, opened.last, opened.last.max(opened.durable));
    let log = Log::new(disk, durability, journal, registry, repair);
    Ok(Taken { locks, session, log, opened })
}

/// Locks the directory, and the lock file if there is one.
pub(super) fn lock_what_exists(disk: &dyn Disk) -> Result<Vec<Guard>, StoreError> {
    let mut locks = vec![lock(disk, DIRECTORY)?];
    if if_exists(disk.identity(LOCK)).map_err(failed("look at", LOCK))?.is_some() {
        locks.push(lock(disk, LOCK)?);
    }
    Ok(locks)
}

fn lock(disk: &dyn Disk, name: &str) -> Result<Guard, StoreError> {
    let locked = disk.lock(name).map_err(failed("lock", name))?;
    locked.ok_or_else(|| StoreError::Busy { holder: holder(disk) })
}

/// Who holds the session: as the system tells it, else by its own word; a hint for messages.
fn holder(disk: &dyn Disk) -> Option<String> {
    if let holder @ Holder::Process(pid) = holder::of(disk) {
        return Some(format!("process {pid}{}", holder.command().map_or(String::new(), |line| format!(", `{line}`"))));
    }
    let state: StateView = serde_json::from_slice(&beginning(disk, STATE).ok()?).ok()?;
    let pid = state.durable.pid;
    let gone =
        "which does not run here: it is in another container, or has ended, and a process that it forked has its lock";
    Some(if disk.runs(pid) { format!("process {pid}") } else { format!("process {pid}, {gone}") })
}

/// What bears the name of the inner directory must be one: through a symbolic link, others could change what it holds.
fn refuse_strange_blobs(disk: &dyn Disk) -> Result<(), StoreError> {
    match if_exists(disk.identity(BLOBS)).map_err(failed("look at", BLOBS))? {
        Some(_) => disk.create_inner(BLOBS).map_err(failed("open", BLOBS)),
        None => Ok(()),
    }
}

pub(super) fn read(disk: &dyn Disk) -> Result<Files, StoreError> {
    let read = |name| if_exists(beginning(disk, name)).map_err(failed("read", name));
    Ok(Files { lock: read(LOCK)?, state: read(STATE)?, handoff: read(HANDOFF)? })
}

/// What a view or the lock file says. Of one that is longer than any of ours no more than its beginning is read: it may be larger
/// than memory, and says nothing that could be believed.
pub(super) fn beginning(disk: &dyn Disk, name: &str) -> io::Result<Vec<u8>> {
    disk.read_at(name, 0, LONGEST_VIEW)
}

/// The files that are read piece by piece.
pub(super) fn sources(disk: &dyn Disk) -> Result<Sources<'_>, StoreError> {
    let lines = |name| Lines::new(chunks(disk, name));
    let registry = if_exists(disk.identity(REGISTRY)).map_err(failed("look at", REGISTRY))?;
    let registry = Listing::new(chunks(disk, REGISTRY), registry.map(|file| file.len));
    Ok(Sources { snapshot: lines(SNAPSHOT), journal: lines(JOURNAL), registry })
}

/// A file piece by piece.
pub(super) fn chunks<'a>(disk: &'a dyn Disk, name: &'a str) -> Source<'a> {
    Box::new(move |offset| if_exists(disk.read_at(name, offset, CHUNK)))
}

fn read_registry(disk: &dyn Disk, recovered: &Recovered) -> Result<Registry, StoreError> {
    match &recovered.listed {
        Listed::Keys { room, .. } => {
            Registry::read(disk, *room, recovered.known.iter().cloned()).map_err(failed("look at", REGISTRY))
        }
        _ => Ok(Registry::default()),
    }
}

fn plan(recovered: &Recovered, durability: Durability) -> Repair {
    let scan = &recovered.scan;
    let is_unsynced = durability == Durability::PowerSafe && scan.was_process_safe;
    let from = if is_unsynced { Some(0) } else { scan.unsynced };
    Repair {
        create: !recovered.has_journal,
        rewrite: from.map(|from| (from, scan.end)),
        cut: scan.torn.map(|_| scan.end),
        registry: plan_registry(recovered),
        exposed: Vec::new(),
    }
}

/// A registry that is the only witness of lost records is made durable before it is believed.
fn plan_registry(recovered: &Recovered) -> Option<Lacking> {
    let complete = recovered.has_registry() && recovered.unwitnessed.is_empty();
    if complete && recovered.scan.is_whole() {
        return None;
    }
    let is_new = recovered.scan.first().is_none() && recovered.scan.is_whole();
    let how = if is_new { Replace::Unsynced } else { Replace::Synced };
    Some(Lacking { has_some: recovered.has_registry(), keys: recovered.unwitnessed.clone(), how })
}
