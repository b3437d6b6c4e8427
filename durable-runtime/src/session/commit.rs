//! The way from a record to the store: one append at a time, shared by all who wait for it.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;
use std::time::Duration;

use super::Session;
use super::boot_report::BootReport;
use super::live::Live;
use super::waits::Waits;
use crate::broken::{self, Broken};
use crate::clock::{Clock, pause};
use crate::core::handoff::Handoff;
use crate::core::record::{Event, Mark};
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
    /// Held by whoever writes the state view, so that an older one never replaces a newer.
    state_view: tokio::sync::Mutex<()>,
    /// The last record known to be synced, for the state view.
    synced: AtomicU64,
    /// Whether a refresh of the views is on its way.
    refreshing: AtomicBool,
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
    /// Whether whoever started the process is told of a wait.
    pub(crate) speaks: bool,
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
#[derive(Debug, Default)]
struct Turn {
    written: u64,
    synced: u64,
    /// Whether the only records behind the last sync are marks.
    settled: bool,
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
            turn: tokio::sync::Mutex::default(),
            state_view: tokio::sync::Mutex::default(),
            synced: AtomicU64::new(synced),
            refreshing: AtomicBool::new(false),
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
    /// What has to wait for the disk goes on as a task of its own: a future that is dropped in the middle cannot leave half
    /// an append behind, nor let a later one overtake it. The task holds a handle, so the session is not given up under it.
    pub(super) async fn commit(handle: &Session, promise: Commit) -> Result<(), StoreError> {
        let (handle, writing) = (handle.clone(), Writing::of(&handle.shared));
        // In a lab each commit comes to its turn like any other task, so that every order can be tried.
        let may_be_at_once = !handle.shared.settings.is_simulated;
        let mut flush = Box::pin(async move {
            let _writing = writing;
            handle.shared.flush(promise).await
        });
        // What waits for nothing is done at once, where it stands: a task would cost more than the write.
        if may_be_at_once
            && let Poll::Ready(result) = poll_fn(|context| Poll::Ready(flush.as_mut().poll(context))).await
        {
            // A long row of such steps lets others come to their turn all the same.
            tokio::task::coop::consume_budget().await;
            return result;
        }
        let gone = |gone| StoreError::io("append to the log", std::io::Error::other(gone));
        tokio::spawn(flush).await.unwrap_or_else(|error| Err(gone(error)))
    }

    /// Whether records are on their way to the store.
    pub(crate) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Acquire) > 0
    }

    /// Whether something is under way that a process lets end before it leaves.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire) > 0 || self.is_writing()
    }

    async fn flush(self: &Arc<Self>, promise: Commit) -> Result<(), StoreError> {
        let wanted = self.live().state.seq;
        if promise.may_sync() && self.store.sync_waits() {
            // Steps that run side by side share a sync.
            tokio::task::yield_now().await;
        }
        let mut turn = self.turn.lock().await;
        let sync = promise.sync(turn.settled && self.live().only_last_words());
        if !turn.covers(wanted, sync) {
            self.append(&mut turn, sync).await?;
        }
        if promise == Commit::Told {
            self.mark(&mut turn).await?;
        }
        if matches!(promise, Commit::Anchored | Commit::Told | Commit::Closed) {
            self.publish_handoff(Publish::Renamed).await;
            self.publish_state().await;
        }
        drop(turn);
        if matches!(promise, Commit::Written | Commit::Durable) {
            self.refresh_soon();
        }
        Ok(())
    }

    async fn append(&self, turn: &mut Turn, sync: Sync) -> Result<(), StoreError> {
        let records = self.live().take_pending();
        self.store.append(&records, sync).await?;
        turn.written = records.last().map_or(turn.written, |record| record.seq);
        if sync == Sync::Now {
            turn.synced = turn.written;
            self.synced.store(turn.synced, Ordering::Release);
            turn.settled = true;
        } else {
            turn.settled &= records.iter().all(|record| matches!(record.event, Event::Mark(_)));
        }
        // Before the effect starts, a reader with nothing but the handoff must find its key there.
        if records.iter().any(|record| matches!(record.event, Event::Reserve(_))) {
            self.publish_handoff(Publish::InPlace).await;
        }
        // The registry knows keys and not attempts. A log that is cut behind the proof of absence must not look whole.
        let is_further = |event: &Event| matches!(event, Event::Reserve(reserve) if reserve.attempt > 1);
        if records.iter().any(|record| is_further(&record.event)) && !broken::is(Broken::AttemptNotShown) {
            self.publish_state().await;
        }
        Ok(())
    }

    /// Has the store leave out what no longer matters; nothing is appended meanwhile.
    pub(super) async fn shrink(&self) -> Result<bool, StoreError> {
        let mut turn = self.turn.lock().await;
        let wanted = self.live().state.seq;
        if !turn.covers(wanted, Sync::Now) {
            self.append(&mut turn, Sync::Now).await?;
        }
        let done = self.store.compact().await?;
        if done {
            self.live().trimmed();
        }
        Ok(done)
    }

    /// Carries the `durable` mark past the last record, so that damage to it is told from a torn tail.
    async fn mark(&self, turn: &mut Turn) -> Result<(), StoreError> {
        self.push(Mark {});
        self.append(turn, Sync::Later).await
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

    async fn publish_handoff(&self, how: Publish) {
        if !self.store.publishes() {
            return;
        }
        let text = Handoff::of(&self.live().state).to_string();
        self.told("handoff", self.store.publish_handoff(&text, how).await);
    }

    async fn publish_state(&self) {
        if !self.store.publishes() {
            return;
        }
        let _turn = self.state_view.lock().await;
        let view = StateView::of(&self.live().state, self.synced.load(Ordering::Acquire), self.boot_report.pid);
        self.told("state", self.store.publish_state(&view).await);
    }

    /// A view that could not be written is no reason to stop: every reader of ours makes it anew from the log.
    fn told(&self, view: &str, result: Result<(), StoreError>) {
        if let Err(error) = result {
            tracing::warn!(view, %error, place = self.store.place(), "view not written; the log is unharmed");
        }
    }
}

/// A commit that is under way.
struct Writing(Arc<Shared>);

impl Writing {
    fn of(shared: &Arc<Shared>) -> Self {
        shared.writing.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(shared))
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.writing.fetch_sub(1, Ordering::AcqRel);
    }
}

async fn refresh(shared: &Weak<Shared>) {
    let Some(shared) = shared.upgrade() else { return };
    shared.refreshing.store(false, Ordering::Release);
    let turn = shared.turn.lock().await;
    shared.publish_handoff(Publish::InPlace).await;
    drop(turn);
    shared.publish_state().await;
}

impl Commit {
    fn may_sync(self) -> bool {
        matches!(self, Self::Durable | Self::Told | Self::Closed)
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
    fn covers(&self, seq: u64, sync: Sync) -> bool {
        let reached = if sync == Sync::Now { self.synced } else { self.written };
        reached >= seq
    }
}
