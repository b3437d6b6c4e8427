//! One life: a process of its own that runs on a machine until it has ended, or is killed.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::ManualClock;
use super::machine::{Machine, SimulatedDisk};
use super::real::Place;
use crate::clock::Clock as _;
use crate::core::key;
use crate::core::state::{Life as Standing, Step};
use crate::error::Error;
use crate::session::{Session, Word, leave};
use crate::store::files::{Disk, FilesStore};

/// The sessions of one process. A kill takes them all.
pub struct Sessions {
    machine: Arc<Machine>,
    ground: Option<Place>,
    clock: ManualClock,
    views: bool,
    /// What a person says about each key that was asked about.
    answers: Answers,
    opened: Mutex<Vec<(String, Session)>>,
    refused: Mutex<Option<String>>,
    /// How many words were left in this life.
    posted: Mutex<u64>,
}

/// Of each session and key: the value that the effect gave, or that it did not happen.
pub(crate) type Answers = BTreeMap<(String, String), Option<Value>>;

/// How a life ended.
#[derive(Debug)]
pub(crate) enum End<T> {
    /// It was killed.
    Died,
    /// A session could not be opened.
    Refused(String),
    /// The work is done.
    Done(T),
    /// The work gave an error.
    Stopped(String),
    /// The work panicked.
    Panicked(String),
    /// The work waits for something that never comes: what its steps were at.
    Stalled(Vec<String>),
}

/// A life that has ended.
#[derive(Debug)]
pub(crate) struct Lived<T> {
    pub(crate) end: End<T>,
    /// The keys that a person is asked about, with their sessions.
    pub(crate) asked: Vec<(String, String)>,
}

/// Longer than anything that a workflow waits for by the timers of tokio.
const FOR_EVER: Duration = Duration::from_secs(300 * 24 * 60 * 60);

/// How many steps are named of one that waits for ever.
const STEPS: usize = 4;

/// Longer than a life takes that talks to real sockets.
const LONG: Duration = Duration::from_secs(60);

/// How a process is run.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) machine: Arc<Machine>,
    pub(crate) clock: ManualClock,
    pub(crate) views: bool,
    /// Whether the work talks to real sockets. Then the timers of tokio are real too.
    pub(crate) is_online: bool,
    pub(crate) answers: Answers,
    /// Where the sessions are on a real disk, if that is what they are on.
    pub(crate) ground: Option<Place>,
}

impl Process {
    /// Runs `work` until it has ended, or the machine's plan kills it.
    pub(crate) fn live<W, T, E: Display>(
        &self,
        world: &W,
        work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>,
    ) -> Lived<T> {
        let lived = catch_unwind(AssertUnwindSafe(|| self.run(world, work)));
        self.machine.control.end();
        lived.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Lived { end: End::Panicked(text), asked: Vec::new() }
        })
    }

    fn run<W, T, E: Display>(&self, world: &W, work: &impl AsyncFn(&Sessions, &W) -> Result<T, E>) -> Lived<T> {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        if self.is_online {
            builder.enable_all()
        } else {
            builder.enable_time().start_paused(true)
        };
        let runtime = builder.build().expect("a runtime needs nothing but memory");
        let sessions = Sessions {
            machine: Arc::clone(&self.machine),
            ground: self.ground.clone(),
            clock: self.clock.clone(),
            views: self.views,
            answers: self.answers.clone(),
            opened: Mutex::default(),
            refused: Mutex::default(),
            posted: Mutex::default(),
        };
        let control = Arc::clone(&self.machine.control);
        let ended = runtime.block_on(async {
            let mut life = pin!(async {
                let result = work(&sessions, world).await;
                (result, sessions.close().await)
            });
            let killed = poll_fn(|context| {
                if control.poll_killed(context).is_ready() {
                    return Poll::Ready(None);
                }
                match life.as_mut().poll(context) {
                    // What is killed returns nothing, not even in its last moment.
                    Poll::Ready(_) if control.is_dead() => Poll::Ready(None),
                    Poll::Ready(ended) => Poll::Ready(Some(ended)),
                    Poll::Pending => Poll::Pending,
                }
            });
            let ended = tokio::time::timeout(if self.is_online { LONG } else { FOR_EVER }, killed).await;
            control.end();
            ended.map_err(|_| sessions.stands_at())
        });
        let refused = sessions.refused.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (end, asked) = match ended {
            Err(what) => (End::Stalled(what), Vec::new()),
            Ok(None) => (End::Died, Vec::new()),
            Ok(Some((result, asked))) => match (result, refused) {
                (Ok(value), _) => (End::Done(value), asked),
                (Err(_), Some(refusal)) => (End::Refused(refusal), asked),
                (Err(error), None) => (End::Stopped(format!("{error:#}")), asked),
            },
        };
        Lived { end, asked }
    }
}

impl Sessions {
    /// Opens the session of this name, or begins it. Questions that an earlier life of it has left are answered
    /// truthfully first, as a person would.
    ///
    /// # Errors
    ///
    /// See [`Session::open`](crate::Session::open).
    pub async fn open(&self, name: &str) -> Result<Session, Error> {
        let session = self.boot(name).await.inspect_err(|error| {
            // A session that this life holds itself is no worse for that.
            if !error.is_locked() {
                self.refused.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| error.to_string());
            }
        })?;
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), session.clone()));
        for ((_, key), value) in self.answers.iter().filter(|((asked, _), _)| asked == name) {
            let resolve = session.resolve(key);
            let answer = match value {
                Some(value) => resolve.happened(&*self.as_written(value)),
                None => resolve.did_not_happen(),
            };
            answer.by("operator", "looked into the books").await?;
        }
        Ok(session)
    }

    /// A value as the log has it: what stands in it for what JSON has no word for is no object, and of one that is kept apart the
    /// text is looked up.
    fn as_written(&self, value: &Value) -> Box<RawValue> {
        let name = value.get("$blob").and_then(|blob| blob.get("name")).and_then(Value::as_str);
        let apart = name.and_then(|name| {
            let storage = self.machine.storage();
            let content = storage.visible().find(|(_, file, _)| *file == name)?.2.to_vec();
            String::from_utf8(content).ok()
        });
        RawValue::from_string(apart.unwrap_or_else(|| value.to_string())).unwrap_or_else(|_| RawValue::NULL.to_owned())
    }

    /// The clock of the sessions. It stands still, and jumps to the end of every wait.
    pub fn clock(&self) -> &ManualClock {
        &self.clock
    }

    /// Leaves a word for the session of this name, as another process would that does not hold it: see
    /// [`post`](crate::post). A kill takes that one too.
    ///
    /// # Errors
    ///
    /// See [`post`](crate::post).
    pub async fn post(&self, name: &str, word: Word) -> Result<(), Error> {
        let now = self.clock.now();
        let posted = {
            let mut posted = self.posted.lock().unwrap_or_else(PoisonError::into_inner);
            *posted += 1;
            *posted
        };
        // The same in every telling of a story.
        let id = Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("{name} {now} {posted}").as_bytes());
        leave(&self.store(name), word.under(id), now).await.map(drop)
    }

    async fn boot(&self, name: &str) -> Result<Session, Error> {
        let store = self.store(name);
        #[cfg(feature = "__broken")]
        let store = super::machine::broken::ForgetfulStore(store);
        Session::builder(name).store(store).clock(self.clock.clone()).with_process(1).open().await
    }

    fn store(&self, name: &str) -> FilesStore {
        let disk: Arc<dyn Disk> = match &self.ground {
            Some(place) => place.disk(&self.machine, name),
            None => Arc::new(SimulatedDisk::new(&self.machine, name)),
        };
        #[cfg(feature = "__broken")]
        let disk = Arc::new(super::machine::broken::BrokenDisk::new(disk));
        let store = FilesStore::with_disk(disk);
        if self.views { store } else { store.without_views() }
    }

    /// What the steps of the open sessions are at that have no result.
    fn stands_at(&self) -> Vec<String> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().flat_map(|(name, session)| waiting(name, session)).take(STEPS).collect()
    }

    /// Closes every session; what a person is asked about.
    async fn close(&self) -> Vec<(String, String)> {
        let opened = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
        let mut asked = Vec::new();
        for (name, session) in opened {
            asked.extend(questions(&session).into_iter().map(|key| (name.clone(), key)));
            // A session that cannot be closed loses nothing: its next boot finds it awake.
            session.close().await.ok();
        }
        asked
    }
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions").field("opened", &self.opened).finish_non_exhaustive()
    }
}

/// What is said of a decision ends so.
const TO_DECIDE: &str = " to decide";

/// Whether work that goes no further only lacks what a person decides.
pub(crate) fn is_undecided(what: &[String]) -> bool {
    what.iter().any(|step| step.ends_with(TO_DECIDE))
}

/// In words, with their keys and what each of them waits for.
fn waiting(name: &str, session: &Session) -> Vec<String> {
    let live = session.shared.live();
    let what = |(key, step): (&str, &Step)| {
        let at = match &step.life {
            Standing::Asked => format!("waits for {}{TO_DECIDE}", step.tried().ask),
            Standing::Asleep { until } => format!("sleeps until {until}"),
            Standing::Reserved => "is running".to_owned(),
            Standing::Rejected { retry_at: Some(until), .. } => format!("is tried again at {until}"),
            Standing::Doubt(doubt) => match doubt.not_before.or(doubt.retry_at) {
                Some(until) => format!("is in doubt until {until}"),
                None => "is in doubt".to_owned(),
            },
            _ => return None,
        };
        Some(format!("step `{key}` of session `{name}` {at}"))
    };
    live.state.open_steps().filter_map(what).collect()
}

/// What is said of work that waits for something that never comes.
pub(crate) fn stalled(what: &[String]) -> String {
    let what = if what.is_empty() { String::new() } else { format!(": {}", what.join(", ")) };
    format!("waits for something that never comes{what}")
}

/// The keys about which a person is asked, or a value is missing that only a person can supply.
fn questions(session: &Session) -> Vec<String> {
    let live = session.shared.live();
    let is_asked = |standing: &Standing| match standing {
        Standing::Doubt(doubt) => doubt.asked.is_some(),
        Standing::Done { value, .. } => value.is_err(),
        _ => false,
    };
    let steps = live.state.steps.all().filter(|(.., step)| is_asked(&step.life));
    let mut keys: Vec<_> = steps.map(|(run, own, _)| key::scoped(run, own)).collect();
    keys.sort_unstable();
    keys
}
