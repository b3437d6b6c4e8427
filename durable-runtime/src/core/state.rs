//! What the log says. [`fold`](super::fold) is how it comes to know it.

mod steps;

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use uuid::Uuid;

use super::key;
use super::meta::{Proof, StepKind};
use super::names::Names;
use super::outline::Outline;
use super::record::{How, Kept, Origin, Stored, WordRefused};
use super::step_error::StepError;
use super::time::Timestamp;
use super::waits::Question;
pub use steps::{Steps, keys_in};

/// Everything a session knows. Changed by [`State::apply`](super::fold) and by nothing else.
#[derive(Debug)]
pub struct State {
    /// Id of the session.
    pub session: Uuid,
    /// Who the session is.
    pub identity: String,
    /// Count of boots.
    pub iteration: u64,
    /// The running boot.
    pub epoch: u64,
    /// The record that began it.
    pub booted: u64,
    /// The newest checkpoint.
    pub anchored: u64,
    /// The newest record.
    pub seq: u64,
    /// When the newest record was made.
    pub at: Timestamp,
    /// How the last process took the session.
    pub boot: Option<TakenBy>,
    /// Whether a process has the session, as far as the log knows.
    pub status: Status,
    /// The session's own goal.
    pub goal: Option<String>,
    /// The texts that stand in many steps.
    pub names: Names,
    /// The runs by key.
    pub runs: BTreeMap<String, Run>,
    /// The runs that have not finished, by the record that began them.
    pub active: BTreeMap<u64, String>,
    /// The steps by full key.
    pub steps: Steps,
    /// The steps that are not settled, in the order in which they were opened.
    pub open: BTreeMap<u64, String>,
    /// What is asked of people, and was, by the full key of the decision.
    pub questions: BTreeMap<String, Question>,
    /// The words that came through the inbox and stand in the log, by id.
    pub words: HashSet<Uuid>,
    /// The words that did not count since something was completed, the newest last.
    pub refused_words: VecDeque<WordRefused>,
    /// How many there were before those.
    pub refused_before: u64,
    /// Whether records are gone that stood in this log.
    pub is_lossy: bool,
    /// The first record that stands in the log; 0 before there is one.
    pub first: u64,
    /// Whether the log itself says that it has lost what stood before its first record.
    pub has_told_of_loss: bool,
    /// When a person vouched for it, after it was moved or restored: another copy may have done what it has no record of.
    pub adopted: Option<Timestamp>,
    /// How many steps were ever opened.
    pub opened: u64,
    /// How many of them were left open by a run that has finished, and never done.
    pub left: u64,
    /// How many steps the finished runs have taken with them since the log was shrunk.
    pub closed: u64,
    /// The record of the last completed action.
    pub completed: u64,
    /// The last completed actions, oldest first.
    pub recent: VecDeque<Action>,
    /// What went wrong last, until something completes.
    pub trouble: Option<Trouble>,
}

/// How a process took a session.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenBy {
    /// What it promised to survive.
    pub durability: String,
    /// Id of the machine's own boot, where the system has one.
    pub machine: Option<String>,
}

/// Whether a process has the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A process has it, or died with it.
    Awake,
    /// It was closed in order, or never opened.
    Dormant,
}

/// One run of a workflow.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The record that began it.
    pub began: u64,
    /// When it began.
    pub began_at: Timestamp,
    /// Name of the workflow.
    pub workflow: String,
    /// Shape of the template of its key.
    pub shape: String,
    /// Whether that is the template of a `#[run]`, in the run around it.
    pub named: bool,
    /// What it does, in the words of that `#[run]`.
    pub title: Option<String>,
    /// The goal, holes filled.
    pub goal: Option<String>,
    /// The inputs by name.
    pub inputs: BTreeMap<String, Stored>,
    /// What stands in for inputs that the code has taken on since: seen, and never compared.
    pub defaults: BTreeMap<String, Stored>,
    /// The workflow as the code has it.
    pub outline: Arc<Outline>,
    /// The version of the code that began it.
    pub version: u32,
    /// The shapes of steps that the code has taken on since.
    pub added: BTreeSet<String>,
    /// Names of what its code calls, or called in an earlier start.
    pub calls: BTreeSet<String>,
    /// The shapes of steps and runs that an earlier start ended without reaching.
    pub missed: BTreeSet<String>,
    /// Whether records of it are gone: what has no record in it may have been recorded.
    pub is_lossy: bool,
    /// The shapes of its recorded steps, each with one key.
    pub shapes: BTreeMap<String, String>,
    /// The shapes of the runs that it has named, each with one key.
    pub inner: BTreeMap<String, String>,
    /// How many steps it has recorded.
    pub recorded: u64,
    /// How many of its steps are done.
    pub done: u64,
    /// Shape of the step that was done last.
    pub last_shape: Option<Arc<str>>,
    /// Who gave it up, and why, if somebody did.
    pub cancelled: Option<Cancelled>,
    /// What it returned, once it has.
    pub value: Option<Kept>,
}

/// See [`Run::cancelled`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancelled {
    /// Who gave it up.
    pub by: String,
    /// Why.
    pub because: String,
    /// When.
    pub at: Timestamp,
    /// Whether its code has come to its end since: nothing is left to clean up.
    pub is_over: bool,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its place among all steps ever opened.
    pub opened: u64,
    /// Full key of its run; empty outside any workflow.
    pub run: Arc<str>,
    /// Shape of its key's template.
    pub shape: Arc<str>,
    /// What it is.
    pub kind: StepKind,
    /// What it does, in words.
    pub title: Option<String>,
    /// The newest attempt; 0 if none is known.
    pub attempt: u32,
    /// Digest of what it was given.
    pub args: Option<Uuid>,
    /// Whether its newest attempt was made after its run was given up.
    pub cleans_up: bool,
    /// What matters of it until it has its result.
    pub tried: Option<Box<Tried>>,
    /// Where it stands.
    pub life: Life,
}

/// What is known of the attempts of a step that has no result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tried {
    /// How many attempts have failed since the budget was last full.
    pub failures: u32,
    /// How many attempts in a row were cut off by the end of their process.
    pub crashes: u32,
    /// The error of the attempt that failed last, and how many in a row have failed with it.
    pub error: Option<(Box<str>, u32)>,
    /// The oldest attempt of which it is not proven that nothing happened, and when it was reserved.
    pub unproven: Option<(u32, Timestamp)>,
    /// How long its receiver remembers the token, as recorded with the newest attempt.
    pub within: Option<Duration>,
    /// When the newest attempt was reserved.
    pub reserved_at: Option<Timestamp>,
    /// How a doubt about it ends, as recorded with the newest attempt; `None` if the log does not know.
    pub proof: Option<Proof>,
    /// Whether its receiver is given the token of its key.
    pub sends_token: bool,
    /// Whom to ask.
    pub ask: Arc<str>,
    /// Type of what it gives, where that is known: for whoever is asked.
    pub gives: Option<String>,
    /// How long a request may still land, as recorded with the newest attempt.
    pub settle: Option<Duration>,
}

/// Where a step stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Life {
    /// An attempt may be running.
    Reserved,
    /// It is not known whether the newest attempt happened.
    Doubt(Box<Doubt>),
    /// A person has said what happened, and no step has taken the word yet.
    Word(Box<Words>),
    /// It is proven that nothing happened.
    Rejected {
        /// The error of the newest attempt.
        error: String,
        /// Before this instant no further attempt is made.
        retry_at: Option<Timestamp>,
    },
    /// It sleeps.
    Asleep {
        /// Before this instant it does not go on.
        until: Timestamp,
    },
    /// A person is asked to decide: see [`State::questions`].
    Asked,
    /// Nothing happened, and the error that proves it, or that was proven harmless, is the result.
    Failed(Box<StepError>),
    /// It happened.
    Done {
        /// How that is known.
        how: How,
        /// The result, or why it could not be stored.
        value: Result<Kept, String>,
    },
}

/// See [`Life::Doubt`].
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// From when a request is allowed its time to land: the recorded end of the attempt, or the first boot after it.
    pub since: Timestamp,
    /// What raised it.
    pub why: String,
    /// Since when a person is asked, if one is.
    pub asked: Option<Timestamp>,
    /// Before this instant absence proves nothing.
    pub not_before: Option<Timestamp>,
    /// Before this instant no further attempt is made, whatever is proven.
    pub retry_at: Option<Timestamp>,
    /// The error that is the step's result, once it is proven that nothing happened.
    pub error: Option<StepError>,
}

/// See [`Life::Word`].
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// The first one: it counts, if the step reads a result in it.
    pub first: Word,
    /// Those that came after it, in their order: one of them counts if those before it are no results.
    pub later: VecDeque<Word>,
    /// The question that they answer: it opens again if none of them is a result of the step.
    pub question: Life,
}

/// What a person has said of an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Whether it happened.
    pub happened: bool,
    /// The result, if it happened.
    pub value: Option<Stored>,
    /// Who says so.
    pub by: String,
}

/// What the log has lost of a run.
#[derive(Clone, Debug, Default)]
pub struct Gone {
    /// Keys that only the registry knows, and nobody has settled yet.
    pub unsettled: Vec<String>,
    /// Whether it may have recorded what has no record now.
    pub is_lossy: bool,
    /// Whether another copy of the session may have done what has no record here.
    pub is_adopted: bool,
}

/// A completed action, for readers.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The record that completed it.
    pub seq: u64,
    /// Full key of a step or of a run.
    pub key: String,
    /// What it does, in words.
    pub title: Option<String>,
    /// How its result is known.
    pub how: How,
    /// Its result; a run without one was given up.
    pub value: Option<Stored>,
    /// The error that is its result.
    pub error: Option<StepError>,
    /// Whether it is a whole run.
    pub is_run: bool,
}

/// What went wrong, for readers.
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    /// Full key of the run; empty outside any workflow.
    pub run: String,
    /// Full key of the step, if it was one.
    pub key: Option<String>,
    /// The error in words.
    pub error: String,
    /// What it follows from, where nothing is wrong but that.
    pub origin: Option<Box<Origin>>,
}

impl State {
    /// A session before its first record.
    pub fn new(session: Uuid, identity: String) -> Self {
        Self {
            session,
            identity,
            iteration: 0,
            epoch: 0,
            booted: 0,
            anchored: 0,
            seq: 0,
            at: Timestamp::from_millis(0),
            boot: None,
            status: Status::Dormant,
            goal: None,
            names: Names::default(),
            runs: BTreeMap::new(),
            active: BTreeMap::new(),
            steps: Steps::default(),
            open: BTreeMap::new(),
            questions: BTreeMap::new(),
            words: HashSet::new(),
            refused_words: VecDeque::new(),
            refused_before: 0,
            is_lossy: false,
            first: 0,
            has_told_of_loss: false,
            adopted: None,
            opened: 0,
            left: 0,
            closed: 0,
            completed: 0,
            recent: VecDeque::new(),
            trouble: None,
        }
    }

    /// The open steps, oldest first.
    pub fn open_steps(&self) -> impl Iterator<Item = (&str, &Step)> {
        self.open.values().filter_map(|key| Some((key.as_str(), self.steps.get(key)?)))
    }

    /// The steps inside `run` of which the log does not know what became, or what they gave.
    pub fn doubts<'a>(&'a self, run: &'a str) -> impl Iterator<Item = (&'a str, &'a Step)> {
        let inside = move |step: &Step| key::is_inside(&step.run, run);
        self.open_steps().filter(move |(_, step)| inside(step) && !step.life.is_absent() && !step.life.is_wait())
    }

    /// The run that was given up: this one, or one around it; and by whom.
    pub fn cancelled<'a>(&'a self, run: &'a str) -> Option<(&'a str, &'a Cancelled)> {
        let mut chain = std::iter::once(run).chain(key::around(run));
        chain.find_map(|run| Some((run, self.runs.get(run)?.cancelled.as_ref()?)))
    }

    /// Whether nobody goes on with this step: its run was given up, and the step is none that cleans up. What is in doubt
    /// is in doubt all the same.
    pub fn is_given_up(&self, step: &Step) -> bool {
        !step.cleans_up && self.cancelled(&step.run).is_some()
    }

    /// The first step inside a run that was given up of which nobody knows, and no person has said, whether it happened.
    pub fn untold<'a>(&'a self, run: &'a str) -> Option<&'a str> {
        let is_told = |step: &Step| step.life.has_happened() || matches!(step.life, Life::Word(_));
        self.doubts(run).find(|(_, step)| !is_told(step)).map(|(key, _)| key)
    }

    /// Whether this run, or one around it, is finished.
    pub fn is_finished(&self, run: &str) -> bool {
        let mut chain = std::iter::once(run).chain(key::around(run));
        chain.any(|run| self.runs.get(run).is_some_and(|run| run.value.is_some()))
    }

    /// What of a run is gone.
    pub fn gone(&self, run: &str) -> Gone {
        let unsettled = |step: &Step| step.tried().proof.is_none() && !matches!(step.life, Life::Word(_));
        let lost = self.open_steps().filter(|(_, step)| key::is_inside(&step.run, run) && unsettled(step));
        let is_lossy = self.runs.get(run).is_some_and(|run| run.is_lossy);
        let is_adopted = self.adopted.is_some();
        Gone { unsettled: lost.map(|(key, _)| key.to_owned()).collect(), is_lossy, is_adopted }
    }

    /// The runs that `run` has entered itself.
    pub fn runs_in<'a>(&'a self, run: &'a str) -> impl Iterator<Item = (&'a str, &'a Run)> {
        let inside = self.runs.range(key::scoped(run, "")..).take_while(move |(key, _)| key::is_inside(key, run));
        let is_direct = move |key: &str| key::around(key).next() == Some(run);
        inside.map(|(key, run)| (key.as_str(), run)).filter(move |(key, _)| is_direct(key))
    }

    /// The runs inside `run` that have not finished.
    pub fn unfinished_in<'a>(&'a self, run: &'a str) -> impl Iterator<Item = &'a str> {
        self.active.values().map(String::as_str).filter(move |key| key::around(key).any(|outer| outer == run))
    }
}

impl Run {
    /// It is finished: what is still asked of it is who it is, and what it gave.
    pub fn settle(&mut self) {
        self.added.clear();
        self.calls.clear();
        self.missed.clear();
        self.shapes.clear();
        self.inner.clear();
        (self.recorded, self.done, self.last_shape) = (0, 0, None);
    }

    /// What the body sees of an input: what was recorded, or the default of one that was added later.
    pub fn input(&self, name: &str) -> Option<&Stored> {
        self.inputs.get(name).or_else(|| self.defaults.get(name))
    }
}

/// From how many times on an error is taken for one that stays.
const PERSISTS: u32 = 3;

impl Step {
    /// A step of this run that nothing is known of but where it stands.
    pub fn new(opened: u64, run: Arc<str>, shape: Arc<str>, kind: StepKind, life: Life) -> Self {
        let (title, args, cleans_up) = (None, None, false);
        Self { opened, run, shape, kind, title, attempt: 0, args, cleans_up, tried: None, life }
    }

    /// The same, and what is known of its attempts.
    #[must_use]
    pub fn with(self, tried: Tried) -> Self {
        Self { tried: Some(Box::new(tried)), ..self }
    }

    /// It has its result: what is still asked of it is which step it is, and what it gave.
    pub fn settle(&mut self) {
        self.tried = None;
    }

    /// Whether it fails with the same error over and over: another start alone does not make it go away.
    pub fn persists(&self) -> bool {
        self.tried().error.as_ref().is_some_and(|(_, times)| *times >= PERSISTS)
    }

    /// What is known of its attempts.
    pub fn tried(&self) -> &Tried {
        static NEVER: LazyLock<Tried> = LazyLock::new(Tried::default);
        self.tried.as_deref().unwrap_or(&NEVER)
    }

    /// The same, to change it.
    pub fn tried_mut(&mut self) -> &mut Tried {
        self.tried.get_or_insert_default()
    }
}

impl Life {
    /// In doubt.
    pub fn in_doubt(doubt: Doubt) -> Self {
        Self::Doubt(Box::new(doubt))
    }

    /// Whether the effect is known to have happened, whatever became of its result.
    pub fn has_happened(&self) -> bool {
        match self {
            Self::Done { .. } => true,
            Self::Word(words) => words.question.has_happened(),
            Self::Reserved | Self::Doubt(_) | Self::Rejected { .. } | Self::Failed(_) => false,
            Self::Asleep { .. } | Self::Asked => false,
        }
    }

    /// Whether it is proven, or a person has said, that nothing happened, and it has no result.
    pub fn is_absent(&self) -> bool {
        match self {
            Self::Rejected { .. } => true,
            Self::Word(words) => !words.first.happened,
            Self::Reserved | Self::Doubt(_) | Self::Failed(_) | Self::Done { .. } => false,
            Self::Asleep { .. } | Self::Asked => false,
        }
    }

    /// Whether nothing is done, and nothing can be in doubt: a sleep or a question.
    pub fn is_wait(&self) -> bool {
        matches!(self, Self::Asleep { .. } | Self::Asked)
    }

    /// The doubt, whether or not a person has answered it already.
    pub fn doubt(&self) -> Option<&Doubt> {
        match self {
            Self::Doubt(doubt) => Some(doubt),
            Self::Word(words) => words.question.doubt(),
            Self::Reserved | Self::Rejected { .. } | Self::Failed(_) | Self::Done { .. } => None,
            Self::Asleep { .. } | Self::Asked => None,
        }
    }
}

impl Doubt {
    /// A doubt that nobody has been asked about.
    pub fn new(since: Timestamp, why: impl Into<String>) -> Self {
        Self { since, why: why.into(), asked: None, not_before: None, retry_at: None, error: None }
    }
}
