//! Looking at a session that this process does not hold.

use std::mem;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use uuid::Uuid;

use super::post::LOOKS;
use super::resolve::Word;
use super::{boot, inbox, post};
use crate::clock::{Clock as _, SystemClock};
use crate::core::handoff::Handoff;
use crate::core::life::KeyLife;
use crate::core::outline::OutlineStep;
use crate::core::progress::{self, Progress};
use crate::core::record::{Event, Record};
use crate::core::standing::Standing;
use crate::core::state::State;
use crate::core::word;
use crate::error::{Error, Kind};
use crate::store::files::{FilesStore, Holder, Seen, sessions_below};
use crate::store::{Reader, Store as _, StoreError};

/// Looks at the session in the directory `dir`, whether or not a process holds it. Nothing is locked, and no byte is written.
///
/// # Examples
///
/// ```
/// use durable_runtime::Standing;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), durable_runtime::Error> {
/// # let dir = tempfile::tempdir().expect("a directory for the example");
/// # let dir = dir.path().join("session");
/// let session = durable_runtime::Session::open(&dir).await?;
/// let inspection = durable_runtime::inspect(&dir).look().await?;
/// println!("{}", inspection.handoff());
/// # drop(session);
/// # assert_eq!(durable_runtime::inspect(&dir).look().await?.standing(), Standing::Empty);
/// # Ok(())
/// # }
/// ```
pub fn inspect(dir: impl AsRef<Path>) -> Inspect {
    Inspect { store: Arc::new(FilesStore::new(dir.as_ref())) }
}

/// The directories under `root` that hold a session, in the order of their names: each can be [inspected](inspect). Those that
/// may not be looked into are among them, for nobody can tell. It looks five levels deep, into no session, and follows no link.
///
/// # Errors
///
/// Fails if the directory cannot be listed.
pub fn sessions(root: impl AsRef<Path>) -> Result<Vec<PathBuf>, Error> {
    let root = root.as_ref();
    sessions_below(root, DEPTH).map_err(|error| Kind::NotListed { place: root.display().to_string(), error }.into())
}

/// How many levels of directories may stand between a root and a session.
const DEPTH: usize = 4;

/// A session that is looked at. Made by [`inspect`].
///
/// Everything is read from the log each time. What its holder is writing at that moment is not told.
#[derive(Clone, Debug)]
pub struct Inspect {
    store: Arc<FilesStore>,
}

/// What a session's log said at one moment. Made by [`Inspect::look`].
#[derive(Debug)]
pub struct Inspection {
    store: Arc<FilesStore>,
    state: State,
    seen: Seen,
    holder: Holder,
    posted: Vec<word::Word>,
    is_restarted: bool,
}

impl Inspect {
    /// Whether anything of a session stands there, whole or not; also where that cannot be seen for lack of rights.
    pub fn exists(&self) -> bool {
        self.store.exists()
    }

    /// Reads the log, and what lies in the inbox.
    ///
    /// # Errors
    ///
    /// Fails if there is no session, if it is damaged or of a newer version, or if the disk refuses.
    pub async fn look(&self) -> Result<Inspection, Error> {
        if let Some(source) = self.store.denied() {
            return Err(self.not_read(source));
        }
        // Before the log: who has let go by then has written there what became of all, and what is taken from the inbox in between
        // is in that.
        let holder = self.store.holder();
        let posted = self.store.take(&[]).await.map_err(|source| self.not_read(source))?;
        let told = Arc::default();
        let seen = self.read(|| boot::reader(&told)).await?;
        let state = boot::taken(&told);
        let is_restarted = boot::restarted(&state).is_some();
        let posted = posted.iter().filter_map(|posted| inbox::read(posted).ok()).collect();
        let mut inspection = Inspection { store: Arc::clone(&self.store), state, seen, holder, posted, is_restarted };
        inspection.forget_logged();
        Ok(inspection)
    }

    /// Every key that the log knows, in the order in which the steps were opened; also those of finished runs, as they stood when
    /// their run finished. The log of a session that was trimmed does not know all: [`State::opened`] is how many there were.
    ///
    /// # Errors
    ///
    /// See [`look`](Self::look).
    pub async fn keys(&self) -> Result<Vec<KeyLife>, Error> {
        let told: Arc<Mutex<Vec<KeyLife>>> = Arc::default();
        self.read(|| listing(Arc::clone(&told))).await?;
        let mut keys = mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
        keys.sort_by_key(|life| life.opened);
        Ok(keys)
    }

    /// Gives each record of the log, in order, until `each` has enough; of a damaged one those before the damage.
    ///
    /// # Errors
    ///
    /// See [`look`](Self::look).
    pub async fn journal(&self, each: impl FnMut(&Record) -> ControlFlow<()> + Send + 'static) -> Result<(), Error> {
        let each = Arc::new(Mutex::new(Once { last: 0, each }));
        self.read(|| visiting(Arc::clone(&each))).await.map(drop)
    }

    /// Reads once, or again: of a log whose holder cuts off a torn tail or shrinks it at this moment, it may look damaged.
    async fn read(&self, reader: impl Fn() -> Reader) -> Result<Seen, Error> {
        let mut looks = 1;
        loop {
            match self.store.look(reader()).await {
                Err(StoreError::Damaged(_)) if looks < LOOKS => looks += 1,
                looked => return looked.map_err(|source| self.not_read(source)),
            }
        }
    }

    fn not_read(&self, source: StoreError) -> Error {
        Kind::NotRead { place: self.store.place(), source: self.store.told_whose(source) }.into()
    }
}

impl Inspection {
    /// Everything that the log says.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How the session stands.
    pub fn standing(&self) -> Standing {
        match () {
            () if self.needs_adoption() => Standing::Unvouched,
            () if self.lost().is_some() => Standing::Lossy,
            () => self.state.stands(matches!(self.holder, Holder::Process(_))),
        }
    }

    /// Who held the session just before its log was read, as far as it could be seen.
    pub fn holder(&self) -> Holder {
        self.holder
    }

    /// Whether no start takes it before somebody vouches for it: see [`adopt`](crate::adopt).
    pub fn needs_adoption(&self) -> bool {
        self.is_restarted || self.seen.moved.is_some()
    }

    /// Which records are gone that were synced, where no start has gone on without them yet: a copy that has them must be put back
    /// before the next one.
    pub fn lost(&self) -> Option<&str> {
        self.seen.lost.as_ref().filter(|lost| lost.is_newest || !self.state.has_told_of_loss).map(|lost| &*lost.what)
    }

    /// The handoff, made now: of the log, and of the words in the inbox that it does not have yet.
    pub fn handoff(&self) -> Handoff {
        Handoff::with_posted(&self.state, &self.posted, SystemClock.now())
    }

    /// Whether nobody is asked any more what this decision is about: the time for an answer is over, and the next start takes what
    /// counts then.
    pub fn is_overdue(&self, key: &str) -> bool {
        let now = SystemClock.now().max(self.state.at);
        self.state.questions.get(key).is_some_and(|question| question.is_expired(now))
    }

    /// How far a run has come, step by step of its outline; `None` if there is no such run.
    pub fn progress(&self, run: &str) -> Option<Progress> {
        Progress::of(&self.state, run)
    }

    /// How many keys a step of this run comes to, where the log tells that: the step stands in a loop over a list that is an input.
    pub fn loop_size(&self, run: &str, step: &OutlineStep) -> Option<usize> {
        progress::of_loop(&self.state, run, step)
    }

    /// The words that lay in the inbox and are not in the log: no worker has taken them yet.
    pub fn posted(&self) -> &[word::Word] {
        &self.posted
    }

    /// The first instant at which anything goes on that waits for one.
    pub fn due(&self) -> Option<SystemTime> {
        self.state.wakes_after(SystemClock.now()).min().map(SystemTime::from)
    }

    /// Takes in what was recorded since, and gives it.
    ///
    /// # Errors
    ///
    /// See [`Inspect::look`].
    pub async fn read_on(&mut self) -> Result<Vec<Record>, Error> {
        let holder = self.store.holder();
        let looked = self.store.look_on(self.seen.clone()).await;
        let Ok(Some((records, seen))) = looked else { return self.read_anew().await };
        (self.seen, self.holder) = (seen, holder);
        records.iter().for_each(|record| self.state.apply(record));
        self.forget_logged();
        Ok(records)
    }

    /// Leaves a word for the session, as [`post`](crate::post) does, and gives its id: the record that logs it has that too.
    ///
    /// # Errors
    ///
    /// See [`post`](crate::post).
    ///
    /// # Crash safety
    ///
    /// See [`post`](crate::post).
    pub async fn post(&self, word: Word) -> Result<Uuid, Error> {
        post::leave(&*self.store, word, SystemClock.now()).await
    }

    /// The log was shrunk, or is damaged.
    async fn read_anew(&mut self) -> Result<Vec<Record>, Error> {
        let inspect = Inspect { store: Arc::clone(&self.store) };
        let (told, from) = (Arc::new(Mutex::new(Vec::new())), self.state.seq);
        let new = Arc::clone(&told);
        let collect = move |record: &Record| {
            if record.seq > from {
                new.lock().unwrap_or_else(PoisonError::into_inner).push(record.clone());
            }
            ControlFlow::Continue(())
        };
        *self = inspect.look().await?;
        inspect.journal(collect).await?;
        let mut records = mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
        records.retain(|record| record.seq <= self.state.seq);
        Ok(records)
    }

    fn forget_logged(&mut self) {
        let logged = &self.state.words;
        self.posted.retain(|word| word.id.is_none_or(|id| !logged.contains(&id)));
    }
}

/// Leaves every key in `told`: those of a run as they stand when it finishes, for it takes them with it.
fn listing(told: Arc<Mutex<Vec<KeyLife>>>) -> Reader {
    Box::new(move |records| {
        let (mut state, mut keys) = (boot::unread(), Vec::new());
        for record in records {
            if let Event::End(end) = &record.event {
                let closed = KeyLife::all(&state, Some(&end.run)).into_iter();
                keys.extend(closed.map(|life| KeyLife { is_closed: true, ..life }));
            }
            state.apply(&record);
        }
        keys.extend(KeyLife::all(&state, None));
        *told.lock().unwrap_or_else(PoisonError::into_inner) = keys;
    })
}

/// Gives each record once, also where the log is read again.
struct Once<F> {
    last: u64,
    each: F,
}

fn visiting<F: FnMut(&Record) -> ControlFlow<()> + Send + 'static>(once: Arc<Mutex<Once<F>>>) -> Reader {
    Box::new(move |records| {
        let mut once = once.lock().unwrap_or_else(PoisonError::into_inner);
        for record in records {
            if record.seq > once.last {
                once.last = record.seq;
                if (once.each)(&record).is_break() {
                    once.last = u64::MAX;
                    return;
                }
            }
        }
    })
}

#[cfg(test)]
mod tests;
