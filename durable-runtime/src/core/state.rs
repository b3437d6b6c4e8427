//! What the log says. [`fold`](super::fold) is how it comes to know it.

mod run;
mod step;
mod steps;

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use uuid::Uuid;

use super::budget::Used;
use super::key;
use super::memory::Remembered;
use super::names::Names;
use super::pace::Paces;
use super::record::{How, Origin, Stored, WordRefused};
use super::research::Researched;
use super::step_error::StepError;
use super::time::Timestamp;
use super::waits::Question;
pub use run::{Cancelled, Run};
pub use step::{Doubt, Life, Step, Tried, Word, Words};
pub use steps::{Steps, keys_in};

/// Everything a session knows. Changed by [`State::apply`](super::fold) and by nothing else.
#[derive(Debug)]
pub struct State {
    /// Id of the session.
    pub session: Uuid,
    /// Who the session is.
    pub identity: String,
    /// Count of boots, without those that went on with an iteration.
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
    pub open: BTreeMap<u64, Arc<str>>,
    /// What is asked of people, and was, by the full key of the decision.
    pub questions: BTreeMap<String, Question>,
    /// The words that came through the inbox and stand in the log, by id.
    pub words: HashSet<Uuid>,
    /// The words that did not count since something was completed, the newest last.
    pub refused_words: VecDeque<WordRefused>,
    /// How many there were before those.
    pub refused_before: u64,
    /// What is remembered for those who work in it.
    pub memory: Remembered,
    /// How much of a context budget was used when that was told last.
    pub budget: Option<Used>,
    /// The turns of the loops in it.
    pub paces: Paces,
    /// The newest verdicts on components, the oldest first.
    pub researched: VecDeque<Researched>,
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

impl Status {
    /// The word for it in `state.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Awake => "awake",
            Self::Dormant => "dormant",
        }
    }
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
    pub key: Arc<str>,
    /// What it does, in words.
    pub title: Option<Arc<str>>,
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
    /// The record that told of it.
    pub seq: u64,
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
            memory: Remembered::default(),
            budget: None,
            paces: Paces::default(),
            researched: VecDeque::new(),
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
        self.open.values().filter_map(|key| Some((&**key, self.steps.get(key)?)))
    }

    /// The same, with their keys as they are held.
    pub fn open_keys(&self) -> impl Iterator<Item = (&Arc<str>, &Step)> {
        self.open.values().filter_map(|key| Some((key, self.steps.get(key)?)))
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

    /// What of a run is gone. Whatever is new in it comes after what the run around it and its other runs have done: so of the
    /// outermost run everything counts.
    pub fn gone(&self, run: &str) -> Gone {
        let root = key::around(run).last().unwrap_or(run);
        let unsettled = |step: &Step| step.tried().proof.is_none() && !matches!(step.life, Life::Word(_));
        let lost = self.open_steps().filter(|(_, step)| key::is_inside(&step.run, root) && unsettled(step));
        let is_lossy = self.has_lost(run);
        let is_adopted = self.adopted.is_some();
        Gone { unsettled: lost.map(|(key, _)| key.to_owned()).collect(), is_lossy, is_adopted }
    }

    /// Whether records of this run are gone, or of one around it: that one may have entered it before.
    pub fn has_lost(&self, run: &str) -> bool {
        let mut chain = std::iter::once(run).chain(key::around(run));
        chain.any(|run| self.runs.get(run).is_some_and(|run| run.is_lossy))
    }

    /// The runs that `run` has entered itself.
    pub fn runs_in<'a>(&'a self, run: &'a str) -> impl Iterator<Item = (&'a str, &'a Run)> {
        let inside = self.runs.range(key::scoped(run, "")..).take_while(move |(key, _)| key::is_inside(key, run));
        let is_direct = move |key: &str| key::around(key).next() == Some(run);
        inside.map(|(key, run)| (key.as_str(), run)).filter(move |(key, _)| is_direct(key))
    }

    /// Whether a run has recorded anything, itself or in those inside it: of one that has not, there is nothing to go on with.
    pub fn has_begun(&self, run: &str) -> bool {
        let is_finished = self.runs.get(run).is_some_and(|run| run.value.is_some());
        let mut all = std::iter::once(run.to_owned()).chain(keys_in(&self.runs, run));
        is_finished || all.any(|run| self.steps.of_run(&run).next().is_some())
    }

    /// The runs that `run` has entered itself; outside any, the root runs that have not finished.
    pub fn runs_beside<'a>(&'a self, run: &'a str) -> impl Iterator<Item = (&'a str, &'a Run)> {
        let roots = self.active.values().filter(move |key| run.is_empty() && !key.contains(key::SCOPE));
        let roots = roots.filter_map(|key| Some((key.as_str(), self.runs.get(key)?)));
        roots.chain(self.runs_in(run).filter(move |_| !run.is_empty()))
    }

    /// The runs inside `run` that have not finished.
    pub fn unfinished_in<'a>(&'a self, run: &'a str) -> impl Iterator<Item = &'a str> {
        self.active.values().map(String::as_str).filter(move |key| key::around(key).any(|outer| outer == run))
    }
}
