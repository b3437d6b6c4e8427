//! How far a run has come, step by step of its outline.

mod size;

use std::fmt;
use std::sync::Arc;

use super::meta::StepKind;
use super::outline::{Mark, Outline, OutlineStep};
use super::state::{Life, Run, State};
use super::text;

pub use size::of_loop;

/// A recorded run, laid over its [`Outline`]. Made by [`Session::progress`](crate::Session::progress).
#[derive(Clone, Debug)]
pub struct Progress {
    run: String,
    standing: Standing,
    outline: Arc<Outline>,
    steps: Vec<StepProgress>,
}

/// How far one step has come: one of a loop counts each of its keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepProgress {
    /// How many have a result.
    pub done: usize,
    /// How many were started, and nobody knows whether they happened.
    pub unknown: usize,
    /// How many wait: for an instant, for a person, or for another attempt.
    pub waiting: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    UnderWay,
    Cancelled,
    Finished,
}

impl Progress {
    pub(crate) fn of(state: &State, key: &str) -> Option<Self> {
        let run = state.runs.get(key)?;
        let standing = match run {
            Run { value: Some(_), .. } => Standing::Finished,
            Run { cancelled: Some(_), .. } => Standing::Cancelled,
            _ => Standing::UnderWay,
        };
        let steps = run.outline.steps.iter().map(|step| StepProgress::of(state, key, step)).collect();
        Some(Self { run: key.to_owned(), standing, outline: Arc::clone(&run.outline), steps })
    }

    /// Full key of the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Whether it has its result. The steps of a finished run are not counted any more.
    pub fn is_finished(&self) -> bool {
        self.standing == Standing::Finished
    }

    /// The workflow, as the code had it when the run was last started.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Each step of the outline, and how far it has come.
    pub fn steps(&self) -> impl Iterator<Item = (&OutlineStep, StepProgress)> {
        self.outline.steps.iter().zip(self.steps.iter().copied())
    }

    /// The same as a flowchart of [Mermaid](https://mermaid.js.org): see [`Outline::mermaid`]. What is done is green, what waits
    /// yellow, and what nobody knows red.
    pub fn mermaid(&self) -> String {
        self.outline.chart(|step| {
            let progress = self.steps().find(|(other, _)| *other == step).map(|(_, progress)| progress);
            progress.filter(|_| !self.is_finished()).map_or_else(Mark::default, StepProgress::mark)
        })
    }
}

impl StepProgress {
    fn of(state: &State, run: &str, step: &OutlineStep) -> Self {
        if step.kind == StepKind::Run {
            return Self::of_runs(state, run, step);
        }
        let mut progress = Self::default();
        let same = state.steps.of_run(run).filter(|(_, recorded)| *recorded.shape == *step.shape);
        same.for_each(|(_, recorded)| match recorded.life {
            Life::Done { .. } | Life::Failed(_) => progress.done += 1,
            Life::Reserved | Life::Doubt(_) => progress.unknown += 1,
            Life::Word(_) | Life::Rejected { .. } | Life::Asleep { .. } | Life::Asked => progress.waiting += 1,
        });
        progress
    }

    fn of_runs(state: &State, run: &str, step: &OutlineStep) -> Self {
        let same = state.runs_in(run).filter(|(_, inner)| inner.named && inner.shape == step.shape);
        let (done, under_way): (Vec<_>, Vec<_>) = same.partition(|(_, inner)| inner.value.is_some());
        Self { done: done.len(), unknown: 0, waiting: under_way.len() }
    }

    fn mark(self) -> Mark {
        let class = match self {
            Self { unknown: 1.., .. } => "unknown",
            Self { waiting: 1.., .. } => "waiting",
            Self { done: 1.., .. } => "done",
            Self { .. } => "",
        };
        Mark { line: if self == Self::default() { String::new() } else { self.to_string() }, class }
    }
}

impl fmt::Display for StepProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [(self.done, "done"), (self.unknown, "outcome not known"), (self.waiting, "not done yet")];
        let parts: Vec<_> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        f.write_str(if parts.is_empty() { "not reached" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

impl fmt::Display for Progress {
    /// The run, and one line per step in source order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let standing = match self.standing {
            Standing::UnderWay => "under way",
            Standing::Cancelled => "cancelled",
            Standing::Finished => "finished",
        };
        write!(f, "{} ({}): {standing}", text::clean(&self.run, 200), self.outline.name)?;
        for (step, progress) in self.steps().filter(|_| !self.is_finished()) {
            write!(f, "\n  {}: {progress}", step.key)?;
        }
        Ok(())
    }
}
