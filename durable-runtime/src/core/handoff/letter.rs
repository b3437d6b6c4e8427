//! What a handoff says, before it is put into words.

use std::sync::Arc;

use uuid::Uuid;

use super::asides::Asides;
use super::room::Typed;
use crate::core::record::{How, Stored};
use crate::core::state::{Cancelled, Status};
use crate::core::time::Timestamp;

/// A letter to the next session, or to a person: its [`Display`](std::fmt::Display) is the Markdown of `handoff.md`.
///
/// A pure function of what the log says, at most 4,096 bytes and 40 lines however long the history.
#[derive(Clone, Debug)]
pub struct Handoff {
    pub(super) identity: String,
    pub(super) iteration: u64,
    pub(super) seq: u64,
    pub(super) status: Status,
    pub(super) whereabouts: Whereabouts,
    /// What is said beside that.
    pub(super) asides: Asides,
    /// The newest first.
    pub(super) happened: Vec<Happened>,
    /// In the order in which to do it; never empty.
    pub(super) next: Vec<Next>,
    pub(super) invariants: Invariants,
    /// Where its reader types.
    pub(super) typed: Typed,
}

/// Where the work stands.
#[derive(Clone, Debug)]
pub(super) struct Whereabouts {
    pub(super) goal: Option<String>,
    /// The innermost runs that have not finished, the newest first.
    pub(super) runs: Vec<Place>,
    /// How many more there are.
    pub(super) more: usize,
    /// How many started steps have no known outcome.
    pub(super) unknown: usize,
    /// How many answers no step has taken yet.
    pub(super) answered: usize,
    /// How many decisions people are asked for.
    pub(super) asked: usize,
    /// How many decisions silence has made.
    pub(super) overdue: usize,
    /// How many steps sleep.
    pub(super) asleep: usize,
    /// Whether an error stopped the work.
    pub(super) halted: bool,
    /// Whether a person has given up what the work was about.
    pub(super) cancelled: bool,
    /// Whether any run has ever begun or any step been reached.
    pub(super) begun: bool,
    /// Whether the work is known to be that of a script, which is a process for each call.
    pub(super) is_script: bool,
}

/// A run that has not finished.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) run: String,
    pub(super) workflow: String,
    /// Its goal, where it is not the one that is told already.
    pub(super) goal: Option<String>,
    pub(super) phase: Option<String>,
    pub(super) done: u64,
    /// Who gave it up, if somebody did.
    pub(super) cancelled: Option<Cancelled>,
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub(super) enum Happened {
    /// An error stopped a run, or a call was refused; `is_doubt` if it is why a step asks a person, and none of its own.
    /// `then` goes no further only because of it.
    Error { at: Option<String>, place: Option<String>, error: String, then: Option<String>, is_doubt: bool },
    /// A step was started, and its outcome is not known.
    Started { step: Named, why: Option<String> },
    /// An attempt failed, and nothing has happened.
    Absent { step: Named, error: String },
    /// A person said what became of a step, and the step has not taken the answer yet.
    Answered { step: Named, by: String, happened: bool },
    /// Words of people did not count, and how many more before them.
    WordsRefused { words: Vec<Unheard>, more: usize },
    /// A step has its result.
    Done { step: Named, how: How, value: Option<Stored> },
    /// A step has an error for its result.
    Failed { step: Named, error: String },
    /// A run finished, and whether it had been given up.
    Finished { run: Named, value: Option<Stored>, cancelled: bool },
    /// A run was given up.
    Cancelled { run: Named, cancelled: Cancelled },
}

/// A person's word that did not count.
#[derive(Clone, Debug)]
pub(super) struct Unheard {
    pub(super) key: String,
    pub(super) by: String,
    pub(super) why: String,
}

/// A key, and what it stands for in words.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) key: Arc<str>,
    pub(super) title: Option<Arc<str>>,
}

/// One thing to do.
#[derive(Clone, Debug)]
pub(super) enum Next {
    /// A word in the inbox that gives a run up: it is taken before anything else.
    Take { run: String, by: String },
    /// Open steps that are settled in the same way.
    Settle(Group),
    /// Let the code go on.
    Go(Course),
    /// Give a run up, or let its code go on without one that was given up.
    Needs { run: String, given_up: String },
    /// Find out what failed.
    Fix,
    /// Begin.
    Begin { is_script: bool },
    /// Nothing but to clean up, for a person has given the run up.
    GivenUp(GivenUp),
    /// Everything is done.
    Nothing { run: Option<String>, cancelled: bool },
}

impl Next {
    /// How many open things it speaks of.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Settle(group) => 1 + group.others.len() + group.more,
            Self::Go(course) => 1 + course.more,
            Self::Take { .. } | Self::Needs { .. } | Self::Fix | Self::Begin { .. } => 1,
            Self::GivenUp(_) | Self::Nothing { .. } => 1,
        }
    }
}

/// Open steps that are settled in the same way, the oldest first.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) way: Way,
    pub(super) caller: Caller,
    pub(super) first: Target,
    pub(super) others: Vec<Target>,
    /// How many more there are.
    pub(super) more: usize,
    /// Whether an answer may lie in the inbox.
    pub(super) may_be_posted: bool,
}

/// Whose next start goes on with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Caller {
    Worker,
    /// A call of `durable once`.
    Once,
    /// One of the two: the log does not tell.
    Either,
}

/// An open step.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) step: Named,
    /// What its receiver knows it by, if it is sent one.
    pub(super) token: Option<Uuid>,
    /// The type of what it gives, where that is known.
    pub(super) gives: Option<String>,
    /// The attempt that is asked about.
    pub(super) attempt: u32,
}

/// What settles an open step, in the order in which readers must see it: doubts, then waits, then work.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// Its verifier. `given_up`, here and below: a person has cancelled its run, and it is not run again whatever is found.
    Verify { running: bool, given_up: bool },
    /// A person, for nothing else can tell.
    Ask { running: bool, who: String, denied: Denied },
    /// Its verifier, which could not tell, and then a person.
    AskIfUnseen { who: String, denied: Denied },
    /// Its verifier or a person: the log that would know is gone.
    Lost { who: String },
    /// The same token once more. `persists`: it has failed with the same error over and over.
    Repeat { running: bool, persists: bool },
    /// A person who knows the result of what has happened.
    Supply { who: String },
    /// A person who decides.
    Decide(Box<Decide>),
    /// Its verifier, but not before an instant.
    NotYet { until: Timestamp, given_up: bool },
    /// An instant.
    Sleep { until: Timestamp },
    /// What a person has said, and no worker has taken from the inbox yet.
    Posted { by: String },
    /// What a person has decided already.
    Decided { by: String },
    /// What a person has said already. `is_error`: an error is the result of one that did not happen.
    Word { happened: bool, is_error: bool },
    /// Another attempt, for nothing happened; first the cause of its error, if there was one.
    Retry { fix: bool, until: Option<Timestamp> },
}

/// What becomes of a step if a person says that it did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Denied {
    /// It runs again.
    Runs,
    /// The same; but what the log has lost may have said that an error is its result, and what followed from that is done.
    MayDouble,
    /// Its error is its result.
    IsError,
    /// Nothing: a person has cancelled its run.
    GivenUp,
}

/// What a person is asked to decide.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decide {
    pub(super) who: String,
    /// What is shown, as JSON.
    pub(super) shown: String,
    pub(super) expires: Option<Timestamp>,
    pub(super) is_overdue: bool,
    /// Whether an answer may be gone with the log.
    pub(super) may_be_answered: bool,
    /// What counts when the time is over, as JSON.
    pub(super) otherwise: Option<String>,
    /// Type of an answer, if that is known.
    pub(super) gives: Option<String>,
}

/// A step that can come next, or a run that can be entered next; its key is a template.
#[derive(Clone, Debug)]
pub(super) struct Coming {
    pub(super) named: Named,
    pub(super) is_run: bool,
}

/// How a run goes on.
#[derive(Clone, Debug)]
pub(super) struct Course {
    pub(super) run: String,
    /// Whether an error has to be dealt with before.
    pub(super) fix: bool,
    /// The steps that can come next, keys as templates; `None` if the code no longer has the step that was last.
    pub(super) steps: Option<Vec<Coming>>,
    /// The steps that can come after those.
    pub(super) then: Vec<Coming>,
    /// What goes on when the run is finished.
    pub(super) outer: Option<Outer>,
    /// How many more runs there are.
    pub(super) more: usize,
}

/// A run that was given up, and has no result.
#[derive(Clone, Debug)]
pub(super) struct GivenUp {
    pub(super) run: String,
    /// Who gave it up.
    pub(super) by: Option<String>,
    /// Whether its code has come to its end since.
    pub(super) is_over: bool,
    /// Whether a step that cleans up is open, of which another thing to do speaks.
    pub(super) is_cleaning: bool,
    /// Whether a step may clean up that the outline of its code does not name.
    pub(super) may_clean_up: bool,
    /// The steps that clean up, as its code names them; where that has come to its end, those that it has not reached.
    pub(super) cleanup: Vec<Coming>,
    /// The steps that it would have gone on with.
    pub(super) undone: Vec<Coming>,
}

/// The run around another.
#[derive(Clone, Debug)]
pub(super) struct Outer {
    pub(super) run: String,
    /// The steps that can come next in it, as far as that is known.
    pub(super) steps: Vec<Coming>,
    /// How many runs there are around it.
    pub(super) around: usize,
}

/// What must never be done again, or must stay true.
#[derive(Clone, Debug)]
pub(super) struct Invariants {
    /// What the code says must stay true.
    pub(super) stated: Keys,
    /// Started and not settled; the oldest first.
    pub(super) started: Keys,
    /// Done, result lost.
    pub(super) unstored: Keys,
    /// Done; the newest first.
    pub(super) done: Keys,
}

/// Some of them, and how many there are in all.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    pub(super) shown: Vec<Arc<str>>,
    pub(super) count: u64,
}
