//! What the body of a run notes beside its steps, and notes again in every start.
//!
//! A step is known by its key. What is noted has none: it is known by what it is about, its *lane*, and by how often the run
//! has noted that before in the same start. The log knows the newest of each lane, so a start that comes later writes what is
//! new and nothing else.

use super::record::{By, Event};
use super::state::State;
use crate::broken::{self, Broken};

/// The newest that a run has noted of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newest {
    /// How many times it was noted.
    pub nth: u64,
    /// The record of the last of them.
    pub seq: u64,
}

/// What the log knows of something that is noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing: it is new.
    Never,
    /// It is the newest, in this record.
    Newest(u64),
    /// It was noted, and something after it.
    Before,
}

impl Seen {
    /// What a run whose newest is `newest` knows of its `nth`.
    pub fn of(newest: Option<Newest>, nth: u64) -> Self {
        match newest.filter(|_| !broken::is(Broken::NotedAnew)) {
            Some(newest) if nth < newest.nth => Self::Before,
            Some(newest) if nth == newest.nth => Self::Newest(newest.seq),
            Some(_) | None => Self::Never,
        }
    }
}

impl Event {
    /// What it is about, and who noted it; `None` if it is not noted but happens.
    pub fn noted(&self) -> Option<(String, &By)> {
        match self {
            Self::Memory(memory) => Some((of_value(&memory.name), &memory.by)),
            Self::Artifact(artifact) => Some((of_artifact(&artifact.name), &artifact.by)),
            Self::Verdict(verdict) => Some((of_verdict(&verdict.component), &verdict.by)),
            Self::Budget(budget) => Some((BUDGET.to_owned(), &budget.by)),
            Self::Checkpoint(checkpoint) => Some((CHECKPOINT.to_owned(), &checkpoint.by)),
            _ => None,
        }
    }

    /// Whether it forgets what was remembered.
    pub fn forgets(&self) -> bool {
        match self {
            Self::Memory(memory) => memory.value.is_none(),
            Self::Artifact(artifact) => artifact.forgotten,
            _ => false,
        }
    }
}

/// The lane of a context budget.
pub const BUDGET: &str = "budget";

/// The lane of checkpoints that are asked for.
pub const CHECKPOINT: &str = "checkpoint";

/// The lane of a remembered value.
pub fn of_value(name: &str) -> String {
    format!("memory/{name}")
}

/// The lane of a verdict on a component.
pub fn of_verdict(component: &str) -> String {
    format!("verdict/{component}")
}

/// The lane of something that was made.
pub fn of_artifact(name: &str) -> String {
    format!("artifact/{name}")
}

impl State {
    /// Lets a run know what it has noted.
    pub(super) fn note_by(&mut self, event: &Event) {
        let Some((lane, by)) = event.noted() else { return };
        if let (Some(nth), Some(run)) = (by.nth, self.runs.get_mut(&by.run)) {
            run.noted.insert(lane, Newest { nth, seq: self.seq });
        }
    }

    /// Whether the record of this number is the newest that an unfinished run has noted of its lane.
    pub fn is_newest_noted(&self, seq: u64, event: &Event) -> bool {
        let Some((lane, by)) = event.noted() else { return false };
        self.runs.get(&by.run).and_then(|run| run.noted.get(&lane)).is_some_and(|newest| newest.seq == seq)
    }
}
