//! A session as files in one directory, for one machine: the embedded default.
//!
//! `docs/format.md` describes every file, and the order in which they are written and synced.

mod blobs;
mod compact;
#[cfg(any(test, feature = "testing"))]
mod counting;
#[cfg_attr(not(any(feature = "testing", test)), expect(unreachable_pub, reason = "public with the feature `testing`"))]
mod disk;
mod doctor;
#[cfg_attr(not(any(feature = "testing", test)), expect(unreachable_pub, reason = "public with the feature `testing`"))]
mod guard;
mod holder;
mod id;
mod inbox;
mod journal;
mod keys;
mod layout;
mod line;
mod lines;
mod listing;
mod lock;
mod log;
mod open;
mod pace;
mod peek;
mod place;
mod places;
mod recover;
mod registry;
mod scan;
mod snapshot;
mod survey;
#[cfg(test)]
mod testkit;
mod views;
mod witnesses;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(any(test, feature = "testing"))]
pub use counting::{Call, CountingDisk, Operation};
use disk::if_exists;
#[cfg(any(test, feature = "testing"))]
pub use disk::{Disk, Guard, Identity, RealDisk};
#[cfg(not(any(test, feature = "testing")))]
use disk::{Disk, Guard, RealDisk};
#[cfg(any(test, feature = "testing"))]
pub use guard::Access;

use uuid::Uuid;

use super::{LentLock, Opened, Pending, Posted, Publish, Reader, Store, StoreError, Sync};
use crate::core::record::{Apart, Record, Stored};
use crate::core::view::StateView;
pub(crate) use disk::{sessions_below, sessions_under};
pub(crate) use doctor::Examined;
pub use doctor::{Finding, Remedy};
pub use holder::Holder;
pub(crate) use peek::Seen;
pub(crate) use survey::Survey;

use blobs::Blobs;
use lock::Lock;
use log::Log;
use open::Terms;
use pace::Pace;
use views::Turn;

/// What a file says that is no part of a session, at most so many bytes of it. It is opened as one of ours would be: no link is
/// followed, and a pipe makes nobody wait.
pub(crate) fn read_beside(dir: &Path, name: &str, len: usize) -> io::Result<Vec<u8>> {
    RealDisk::new(dir).read_at(name, 0, len)
}

/// Whether there is anything of a session in the directory. What cannot be looked at may be.
pub(crate) fn is_begun(dir: &Path) -> bool {
    let disk = RealDisk::new(dir);
    let is_missing = |name| if_exists(disk.identity(name)).is_ok_and(|found| found.is_none());
    ![layout::LOCK, layout::JOURNAL, layout::REGISTRY, layout::STATE].into_iter().all(is_missing)
}

/// What a session survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Durability {
    /// Every reservation is synced before its effect starts: a power cut loses nothing that an effect relies on.
    #[default]
    PowerSafe,
    /// Nothing is synced: a kill of the process loses nothing, a power cut may lose the last records, and with them the
    /// knowledge that their effects ran.
    ProcessSafe,
}

impl Durability {
    /// The word for it in a boot record.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PowerSafe => "power_safe",
            Self::ProcessSafe => "process_safe",
        }
    }
}

/// Keeps a session in a directory. Dropping it gives the session free.
pub struct FilesStore {
    disk: Arc<dyn Disk>,
    durability: Durability,
    /// Whether the files for readers are written.
    publishes: bool,
    terms: Terms,
    pace: Arc<Pace>,
    held: Mutex<Option<Held>>,
}

/// What an open session holds. The locks are the last to go.
struct Held {
    log: Arc<Log>,
    blobs: Arc<Blobs>,
    views: Arc<Views>,
    locks: Vec<Guard>,
}

#[derive(Default)]
struct Views {
    handoff: Turn,
    state: Turn,
}

impl FilesStore {
    /// The session in this directory; [`Store::open`] makes it if it is missing.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self::on(Arc::new(RealDisk::new(directory)))
    }

    /// The session on this disk.
    #[cfg(any(test, feature = "testing"))]
    pub fn with_disk(disk: Arc<dyn Disk>) -> Self {
        Self::on(disk)
    }

    /// With another durability than [`Durability::PowerSafe`].
    #[must_use]
    pub fn durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// Opens a session that is not where it was: somebody vouches for it.
    #[must_use]
    pub(crate) fn adopt_moved(mut self) -> Self {
        self.terms.moved = true;
        self
    }

    /// Lets the directory be on a file system of another machine, which may grant one lock twice.
    #[must_use]
    pub fn allow_network_file_system(mut self) -> Self {
        self.terms.network = true;
        self
    }

    /// Without the files for readers, which decide nothing: for whoever opens a session a million times.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn without_views(self) -> Self {
        Self { publishes: false, ..self }
    }

    fn on(disk: Arc<dyn Disk>) -> Self {
        Self {
            disk,
            durability: Durability::default(),
            publishes: true,
            terms: Terms::default(),
            pace: Arc::default(),
            held: Mutex::new(None),
        }
    }

    /// Looks at the session, and holds it until what was found is dropped.
    pub(crate) async fn examine(&self) -> Result<doctor::Examined, StoreError> {
        let disk = Arc::clone(&self.disk);
        self.apart(move || doctor::examine(disk)).await.map_err(failed("examine", &self.place()))?
    }

    /// Looks through every file, without taking the session: `look` is told each line of each.
    pub(crate) async fn survey(&self, look: survey::Looker) -> Result<Survey, StoreError> {
        let disk = Arc::clone(&self.disk);
        self.apart(move || survey::survey(&*disk, look)).await.map_err(failed("read", &self.place()))?
    }

    /// Reads what is there, as [`Store::peek`] does, also of a session that is not where it was.
    pub(crate) async fn look(&self, reader: Reader) -> Result<Seen, StoreError> {
        let disk = Arc::clone(&self.disk);
        self.apart(move || peek::look(&*disk, reader)).await.map_err(failed("read", &self.place()))?
    }

    /// Reads what was written since; `None` where all is to be read again.
    pub(crate) async fn look_on(&self, mut seen: Seen) -> Result<Option<(Vec<Record>, Seen)>, StoreError> {
        let disk = Arc::clone(&self.disk);
        let look = move || Ok(peek::look_on(&*disk, &mut seen)?.map(|records| (records, seen)));
        self.apart(look).await.map_err(failed("read", &self.place()))?
    }

    /// Whether the log is there, or the lock of one; also where that cannot be seen for lack of rights.
    pub(crate) fn exists(&self) -> bool {
        [layout::LOCK, layout::JOURNAL].iter().any(|name| match self.disk.identity(name) {
            Ok(_) => true,
            Err(error) => error.kind() == io::ErrorKind::PermissionDenied,
        })
    }

    /// Why not even the lock can be looked at, where that is for lack of rights.
    pub(crate) fn denied(&self) -> Option<StoreError> {
        let error = self.disk.identity(layout::LOCK).err()?;
        let denied = error.kind() == io::ErrorKind::PermissionDenied;
        denied.then(|| self.told_whose(failed("look at", layout::LOCK)(error)))
    }

    /// The same error; where it is one for lack of rights, with whose the session is.
    pub(crate) fn told_whose(&self, error: StoreError) -> StoreError {
        guard::denied(&*self.disk, error)
    }

    /// Who holds the session, as far as it can be seen.
    pub(crate) fn holder(&self) -> Holder {
        holder::of(&*self.disk)
    }

    fn log(&self) -> Result<Arc<Log>, StoreError> {
        self.held(|held| Arc::clone(&held.log))
    }

    fn views(&self) -> Result<Arc<Views>, StoreError> {
        self.held(|held| Arc::clone(&held.views))
    }

    /// Runs work that waits for the disk where it does not hold up other tasks.
    async fn apart<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        let Some(turn) = self.disk.turn() else {
            return tokio::task::spawn_blocking(work).await.map_err(io::Error::other);
        };
        turn.await;
        Ok(self.here(work).await)
    }

    /// Runs work that does not wait for the disk.
    async fn here<T>(&self, work: impl FnOnce() -> T) -> T {
        let done = work();
        if let Some(turn) = self.disk.turn() {
            turn.await;
        }
        done
    }

    fn held<T>(&self, get: impl FnOnce(&Held) -> T) -> Result<T, StoreError> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let not_open = || failed("use", &self.place())(io::Error::other("the session is not open"));
        held.as_ref().map(get).ok_or_else(not_open)
    }
}

impl Store for FilesStore {
    fn open(&self, reader: Reader) -> Pending<'_, Result<Opened, StoreError>> {
        Box::pin(async move {
            let (disk, durability, terms) = (Arc::clone(&self.disk), self.durability, self.terms);
            let taken = self.apart(move || open::open(disk, durability, terms, reader)).await;
            let taken = taken.map_err(failed("open", &self.place()))?.map_err(|error| self.told_whose(error))?;
            let blobs = Arc::new(Blobs::new(Arc::clone(&self.disk), taken.session));
            let held = Held { log: Arc::new(taken.log), blobs, views: Arc::default(), locks: taken.locks };
            *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
            Ok(taken.opened)
        })
    }

    fn peek(&self, reader: Reader) -> Pending<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let disk = Arc::clone(&self.disk);
            self.apart(move || peek::peek(&*disk, reader)).await.map_err(failed("read", &self.place()))?
        })
    }

    fn repair(&self) -> Pending<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let log = self.log()?;
            self.apart(move || log.repair()).await.map_err(failed("repair", &self.place()))?
        })
    }

    fn append<'a>(&'a self, records: &'a [Record], sync: Sync) -> Pending<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let log = self.log()?;
            self.here(|| log.append(records)).await?;
            match sync {
                Sync::Later => Ok(()),
                Sync::Now | Sync::Here if !log.sync_waits() => self.here(|| log.sync()).await,
                Sync::Here if self.pace.is_quick() => self.here(|| self.pace.of(|| log.sync())).await,
                Sync::Now | Sync::Here => {
                    let (synced, pace) = (Arc::clone(&log), Arc::clone(&self.pace));
                    let synced = self.apart(move || pace.of(|| synced.sync())).await;
                    synced.unwrap_or_else(|error| Err(log.abandon(error)))
                }
            }
        })
    }

    fn recall(&self, seq: u64) -> Pending<'_, Result<Stored, StoreError>> {
        Box::pin(async move {
            let log = self.log()?;
            self.here(|| log.recall(seq)).await
        })
    }

    fn compact(&self) -> Pending<'_, Result<bool, StoreError>> {
        Box::pin(async move {
            let log = self.log()?;
            let shrunk = Arc::clone(&log);
            self.apart(move || shrunk.compact()).await.unwrap_or_else(|error| Err(log.abandon(error)))
        })
    }

    fn set_apart(&self, value: Stored) -> Pending<'_, Result<Stored, StoreError>> {
        Box::pin(async move {
            if !Blobs::takes(&value) {
                return Ok(value);
            }
            let blobs = self.held(|held| Arc::clone(&held.blobs))?;
            self.apart(move || blobs.put(&value)).await.map_err(failed("write", layout::BLOBS))?
        })
    }

    fn fetch(&self, apart: Apart) -> Pending<'_, Result<Stored, StoreError>> {
        Box::pin(async move {
            let blobs = self.held(|held| Arc::clone(&held.blobs))?;
            self.apart(move || blobs.get(apart)).await.map_err(failed("read", layout::BLOBS))?
        })
    }

    fn sync_waits(&self) -> bool {
        self.durability == Durability::PowerSafe
    }

    fn publishes(&self) -> bool {
        self.publishes
    }

    fn publish_handoff<'a>(&'a self, text: &'a str, how: Publish) -> Pending<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let (views, disk) = (self.views()?, Arc::clone(&self.disk));
            let ticket = views.handoff.ticket();
            let written = match how {
                Publish::InPlace => {
                    self.here(|| views.handoff.write(ticket, || views::handoff_in_place(&*disk, text))).await
                }
                Publish::Renamed => {
                    let text = text.to_owned();
                    let write = move || views::exact(&*disk, layout::HANDOFF, &text);
                    self.apart(move || views.handoff.write(ticket, write)).await.flatten()
                }
            };
            written.map_err(failed("write", layout::HANDOFF))
        })
    }

    fn publish_state<'a>(&'a self, state: &'a StateView) -> Pending<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let (views, disk) = (self.views()?, Arc::clone(&self.disk));
            let ticket = views.state.ticket();
            let written = match serde_json::to_string_pretty(state) {
                Ok(text) => {
                    let write = move || views::exact(&*disk, layout::STATE, &(text + "\n"));
                    self.apart(move || views.state.write(ticket, write)).await.flatten()
                }
                Err(error) => Err(error.into()),
            };
            written.map_err(failed("write", layout::STATE))
        })
    }

    fn post<'a>(&'a self, id: Uuid, text: &'a str) -> Pending<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let (disk, text) = (Arc::clone(&self.disk), text.to_owned());
            let leave = move || {
                guard::refuse_foreign(&*disk)?;
                inbox::post(&*disk, id, &text).map_err(failed("write to", layout::INBOX))
            };
            self.apart(leave).await.map_err(failed("write to", layout::INBOX))?
        })
    }

    fn take<'a>(&'a self, logged: &'a [Uuid]) -> Pending<'a, Result<Vec<Posted>, StoreError>> {
        Box::pin(async move {
            let (disk, logged) = (Arc::clone(&self.disk), logged.to_vec());
            let taken = self.apart(move || inbox::take(&*disk, &logged)).await.flatten();
            taken.map_err(failed("read", layout::INBOX))
        })
    }

    fn lend(&self) -> Result<LentLock, StoreError> {
        self.held(|held| lent(&held.locks).map_err(failed("lend the lock of", &self.place())))?
    }

    fn release(&self) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(held);
    }

    fn place(&self) -> String {
        self.disk.place()
    }
}

impl fmt::Debug for FilesStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilesStore").field("place", &self.place()).field("durability", &self.durability).finish()
    }
}

impl Drop for Held {
    /// A sync or a view may still be running on another thread: it must not touch what the next owner writes.
    fn drop(&mut self) {
        self.log.close();
        self.views.handoff.shut();
        self.views.state.shut();
    }
}

/// The locks as programs inherit them. All of them, or none that anybody believes in.
fn lent(locks: &[Guard]) -> io::Result<LentLock> {
    let mut lent = LentLock::default();
    for lock in locks {
        let lock = lock.downcast_ref::<Lock>();
        lent.add(lock.ok_or_else(|| io::Error::other("no program can inherit a lock of this disk"))?.lend()?);
    }
    Ok(lent)
}

/// Says what was being done when the disk refused.
fn failed(doing: &str, name: &str) -> impl Fn(io::Error) -> StoreError {
    move |error| StoreError::io(format!("{doing} {name}"), error)
}

#[cfg(test)]
mod tests;
