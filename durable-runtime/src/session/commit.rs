//! The way from a record to the store: one append at a time, shared by all who wait for it.

mod owed;

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};

use owed::Owed;

use super::Session;
use super::boot_report::BootReport;
use super::live::Live;
use super::waits::Waits;
use crate::broken::{self, Broken};
use crate::clock::{Clock, pause};
use crate::core::handoff::Handoff;
use crate::core::record::{Event, Mark, Record};
use crate::core::secrets::Secrets;
use crate::core::view::StateView;
use crate::store::{Publish, Store, StoreError, Sync};

/// How far the views may lag behind a success.
const VIEW_LAG: Duration = Duration::from_millis(50);

/// What all handles of a session share.
pub(crate) struct Shared {
    pub(crate) live: Mutex<Live>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) boot_report: BootReport,
    pub(crate) settings: Settings,
    /// What is written nowhere.
    pub(crate) secrets: Arc<Secrets>,
    /// Held by whoever appends, so that records reach the store in their order.
    turn: tokio::sync::Mutex<Turn>,
    /// Whether a refresh of the views is on its way.
    refreshing: AtomicBool,
    /// Whether it was told that a view is not written.
    has_told: AtomicBool,
    /// How many commits are under way.
    writing: AtomicUsize,
    /// How many expressions and verifiers of steps are running, and waits that are over so soon that nobody leaves for them.
    pub(super) busy: AtomicUsize,
    /// Rung when a person's word has been taken in.
    pub(crate) words: tokio::sync::Notify,
    /// What was told of in the inbox that is no word. Held by whoever looks there.
    pub(super) inbox: tokio::sync::Mutex<BTreeSet<String>>,
    /// When somebody last looked there, in milliseconds of the clock.
    pub(super) looked: AtomicU64,
}

/// How this start behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// What each line begins with in which whoever started the process is told of a wait; `None` if nobody is.
    pub(crate) speaks: Option<&'static str>,
    /// After how many ends of the process in a row, all in the middle of one step, a person is asked.
    pub(crate) crash_limit: Option<u32>,
    /// How large a value may be, in bytes as it is stored.
    pub(crate) max_value: usize,
    /// How many steps of finished runs the log holds before it is shrunk.
    pub(crate) trim_after: u64,
    /// What the process does while a step waits.
    pub(crate) waits: Waits,
    /// Whether time costs nothing: whoever waits for ever is to be seen to.
    pub(crate) is_simulated: bool,
}

/// How far the store has come.
#[derive(Debug)]
struct Turn {
    written: u64,
    synced: u64,
    /// Whether a power cut could lose nothing but last words: no other record stands behind the last sync.
    settled: bool,
    /// Whether a further attempt is written, and the state view does not know yet that it is synced.
    is_further: bool,
}

/// What readers are shown once the records are written that were taken with it.
struct Views {
    letter: Option<(String, Publish)>,
    state: Option<StateView>,
}

/// What a commit promises when it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commit {
    /// Written; the views follow soon.
    Written,
    /// Written, and every view says so: a boot, which shares the sync of the first reservation.
    Anchored,
    /// Durable, and the handoff names what was reserved.
    Durable,
    /// Durable, and every view says so: errors, doubts, waits, ends.
    Told,
    /// Every view says so, and everything but the last word is durable: losing that to a power cut loses nothing.
    Closed,
}

impl Shared {
    /// `synced` is the last record that is known to be durable.
    pub(crate) fn new(
        live: Live,
        synced: u64,
        clock: Arc<dyn Clock>,
        store: Arc<dyn Store>,
        boot_report: BootReport,
        settings: Settings,
        secrets: Arc<Secrets>,
    ) -> Arc<Self> {
        Arc::new(Self {
            live: Mutex::new(live),
            clock,
            store,
            boot_report,
            settings,
            secrets,
            turn: tokio::sync::Mutex::new(Turn { written: synced, synced, settled: false, is_further: false }),
            refreshing: AtomicBool::new(false),
            has_told: AtomicBool::new(false),
            writing: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
            words: tokio::sync::Notify::new(),
            inbox: tokio::sync::Mutex::default(),
            looked: AtomicU64::new(0),
        })
    }

    /// The live state. A panic elsewhere cannot leave it half changed: every change is one record.
    pub(crate) fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the record of an event; [`commit`](Self::commit) it before anyone acts on it.
    pub(crate) fn push(&self, event: impl Into<Event>) -> u64 {
        let now = self.clock.now();
        self.live().push(now, event)
    }

    /// Gives the store everything up to now.
    ///
    /// What has to wait for the disk goes on as a task of its own: a future that is dropped before it or in the middle cannot leave
    /// half an append behind, nor let a later one overtake it. The task holds a handle, so the session is not given up under it.
    pub(super) async fn commit(handle: &Session, promise: Commit) -> Result<(), StoreError> {
        let mut owed = Owed::of(handle.clone(), promise);
        if promise.may_sync() && handle.shared.store.sync_waits() {
            // Steps that run side by side share a sync.
            tokio::task::yield_now().await;
        }
        // What waits for nothing is done at once, where it stands: a task would cost more than the write. In a lab each commit
        // comes to its turn like any other task, so that every order can be tried.
        if !handle.shared.settings.is_simulated
            && let Poll::Ready(result) = poll_fn(|context| Poll::Ready(owed.poll(context))).await
        {
            // A long row of such steps lets others come to their turn all the same.
            tokio::task::coop::consume_budget().await;
            return result;
        }
        let gone = |gone| StoreError::io("append to the log", std::io::Error::other(gone));
        tokio::spawn(owed.take()).await.unwrap_or_else(|error| Err(gone(error)))
    }

    /// Whether records are on their way to the store.
    pub(crate) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Acquire) > 0
    }

    /// Whether something is under way that a process lets end before it leaves.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire) > 0 || self.is_writing()
    }

    /// `wanted` is the last record that the promise is about.
    async fn flush(self: &Arc<Self>, wanted: u64, promise: Commit) -> Result<(), StoreError> {
        let mut turn = self.turn.lock().await;
        let sync = promise.sync(turn.settled && self.live().pending().iter().all(is_last_word));
        let show = promise.shows().then_some(Publish::Renamed);
        let is_covered = turn.covers(wanted, sync);
        if promise == Commit::Told {
            if !is_covered {
                self.append(&mut turn, sync, None).await?;
            }
            // It carries the `durable` mark past the last record, so that damage to it is told from a torn tail.
            self.push(Mark {});
            self.append(&mut turn, Sync::Later, show).await?;
        } else if !is_covered {
            self.append(&mut turn, sync, show).await?;
        } else if show.is_some() {
            self.append(&mut turn, Sync::Later, show).await?;
        }
        drop(turn);
        if !promise.shows() {
            self.refresh_soon();
        }
        Ok(())
    }

    /// Gives the store what is pending, and shows readers what they must know then, or all.
    async fn append(&self, turn: &mut Turn, sync: Sync, show: Option<Publish>) -> Result<(), StoreError> {
        let (records, mut views) = self.take(turn, sync, show);
        if sync == Sync::Now || !records.is_empty() {
            let is_here = sync == Sync::Now && self.has_the_thread(owed::writing());
            self.store.append(&records, if is_here { Sync::Here } else { sync }).await?;
        }
        turn.take_in(&records, sync);
        if let Some(state) = &mut views.state {
            state.durable.synced = turn.synced;
        }
        self.publish(views).await;
        Ok(())
    }

    /// Whether nothing else is held up where this one waits for the disk: no task of the executor, for it runs on a thread of its
    /// own beside that, and no other session, for of all that is on its way in this process nothing is another's.
    fn has_the_thread(&self, writing: usize) -> bool {
        let is_beside = || Handle::try_current().is_ok_and(|at| at.runtime_flavor() == RuntimeFlavor::MultiThread);
        writing == self.writing.load(Ordering::Acquire) && tokio::task::try_id().is_none() && is_beside()
    }

    /// Takes what is pending, and the views of just this state. Others go on while it is written: a view that knew of their
    /// records too would, after a kill, tell a reader that something is done which the log has in doubt.
    fn take(&self, turn: &mut Turn, sync: Sync, show: Option<Publish>) -> (Vec<Record>, Views) {
        let mut live = self.live();
        let records = live.take_pending();
        turn.is_further |= records.iter().any(is_further_attempt);
        if !self.store.publishes() {
            return (records, Views { letter: None, state: None });
        }
        // Before the effect starts, a reader with nothing but the handoff must find its key there.
        let reserves = records.iter().any(|record| matches!(record.event, Event::Reserve(_)));
        let how = show.or(reserves.then_some(Publish::InPlace));
        // The registry knows keys and not attempts. A log that is cut behind the proof of absence must not look whole.
        let is_due = turn.is_further && sync == Sync::Now && !broken::is(Broken::AttemptNotShown);
        let views = Views {
            letter: how.map(|how| (Handoff::of(&live.state).to_string(), how)),
            state: (show.is_some() || is_due).then(|| StateView::of(&live.state, turn.synced, self.boot_report.pid)),
        };
        (records, views)
    }

    /// Has the store leave out what no longer matters; nothing is appended meanwhile.
    pub(super) async fn shrink(&self) -> Result<bool, StoreError> {
        let mut turn = self.turn.lock().await;
        let wanted = self.live().state.seq;
        if !turn.covers(wanted, Sync::Now) {
            self.append(&mut turn, Sync::Now, None).await?;
        }
        let done = self.store.compact().await?;
        if done {
            self.live().trimmed();
        }
        Ok(done)
    }

    /// Writes the views once, a little later, for everything that happens until then.
    fn refresh_soon(self: &Arc<Self>) {
        if !self.store.publishes() || self.refreshing.swap(true, Ordering::AcqRel) {
            return;
        }
        // Weak: a view that is due does not keep the session open.
        let shared = Arc::downgrade(self);
        tokio::spawn(async move {
            pause(VIEW_LAG).await;
            refresh(&shared).await;
        });
    }

    async fn publish(&self, views: Views) {
        if let Some((letter, how)) = &views.letter {
            self.told("handoff.md", self.store.publish_handoff(letter, *how).await);
        }
        if let Some(state) = &views.state {
            self.told("state.json", self.store.publish_state(state).await);
        }
    }

    /// Nobody is told of a view any more: one that comes too late has a newer one before it.
    pub(super) fn hush(&self) {
        self.has_told.store(true, Ordering::Release);
    }

    /// A view that could not be written is no reason to stop: every reader of ours makes it anew from the log. Whoever reads the
    /// file itself is told once that it may say what was true before.
    fn told(&self, view: &str, result: Result<(), StoreError>) {
        let Err(error) = result else { return };
        let place = self.store.place();
        tracing::warn!(view, %error, place, "view not written; the log is unharmed");
        if let Some(name) = self.settings.speaks.filter(|_| !self.has_told.swap(true, Ordering::AcqRel)) {
            crate::run::tell(
                name,
                &format!(
                    "`{view}` of session `{place}` could not be written ({error}), and says what was true before: believe what \
                 `durable handoff` prints, for the log is unharmed, and free what is missing"
                ),
            );
        }
    }
}

async fn refresh(shared: &Weak<Shared>) {
    let Some(shared) = shared.upgrade() else { return };
    shared.refreshing.store(false, Ordering::Release);
    let mut turn = shared.turn.lock().await;
    if let Err(error) = shared.append(&mut turn, Sync::Later, Some(Publish::InPlace)).await {
        // A log that takes nothing says so to the next commit too, and that has somebody who waits for it.
        tracing::debug!(%error, "views not written, for the log is not");
    }
}

/// Whether losing this record to a power cut loses nothing.
fn is_last_word(record: &Record) -> bool {
    matches!(record.event, Event::Dormant(_) | Event::Replayed(_) | Event::Mark(_))
}

fn is_further_attempt(record: &Record) -> bool {
    matches!(&record.event, Event::Reserve(reserve) if reserve.attempt > 1)
}

impl Commit {
    fn may_sync(self) -> bool {
        matches!(self, Self::Durable | Self::Told | Self::Closed)
    }

    /// Whether every view says so when it returns.
    fn shows(self) -> bool {
        matches!(self, Self::Anchored | Self::Told | Self::Closed)
    }

    fn sync(self, settled: bool) -> Sync {
        match self {
            Self::Written | Self::Anchored => Sync::Later,
            Self::Closed if settled => Sync::Later,
            Self::Durable | Self::Told | Self::Closed => Sync::Now,
        }
    }
}

impl Turn {
    /// Takes note of what the store has taken.
    fn take_in(&mut self, records: &[Record], sync: Sync) {
        self.written = records.last().map_or(self.written, |record| record.seq);
        if sync == Sync::Now {
            (self.synced, self.settled, self.is_further) = (self.written, true, false);
        } else {
            self.settled &= records.iter().all(is_last_word);
        }
    }

    fn covers(&self, seq: u64, sync: Sync) -> bool {
        let reached = if sync == Sync::Now { self.synced } else { self.written };
        reached >= seq
    }
}

#[cfg(test)]
mod tests;
