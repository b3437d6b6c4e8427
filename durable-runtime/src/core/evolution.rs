//! Code that changed under a run: what was recorded under names that the code no longer has.

mod anew;
mod inner;
mod written;

use super::key::{self, SCOPE};
use super::meta::{StepKind, StepMeta, WorkflowMeta};
use super::record::{Absent, Done, Event, How, InDoubt};
use super::state::{Life, Run, State, Step, Word};
use crate::broken::{self, Broken};
pub use anew::missed;
pub use written::Rewritten;

/// How many keys an error names.
pub const NAMED: usize = 5;

/// Why a person is asked about a step that the code no longer has.
const RETIRED: &str = "the code has retired the step, and with it whatever could tell";

/// A run, and the workflow that goes on with it.
#[derive(Clone, Copy, Debug)]
pub struct Evolution<'a> {
    state: &'a State,
    run: &'a str,
    meta: &'a WorkflowMeta,
}

/// Recorded keys for which the code has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vanished {
    /// The first of them, in order.
    pub keys: Vec<String>,
    /// Their shapes, as `formerly` and `retired` name them: one or more.
    pub shapes: Vec<String>,
    /// Whether they are runs that a `#[run]` named.
    pub are_runs: bool,
}

/// What a run goes on with that has retired steps which are not settled.
#[derive(Debug, Default)]
pub struct Retirement {
    /// Records that settle them, or ask.
    pub events: Vec<Event>,
    /// The first that only a person can settle, and whom to ask.
    pub in_doubt: Option<(String, String)>,
}

impl<'a> Evolution<'a> {
    /// Of the run `run`, which `meta` goes on with.
    pub fn new(state: &'a State, run: &'a str, meta: &'a WorkflowMeta) -> Self {
        Self { state, run, meta }
    }

    /// Whether a run of this workflow counts as one of `meta`, by its present name or a former one.
    pub fn is_named(meta: &WorkflowMeta, workflow: &str) -> bool {
        let last = |former: &str| former.rsplit(SCOPE).next() == Some(workflow);
        meta.name == workflow || meta.formerly.iter().any(|former| last(former))
    }

    /// Whether a run was begun under the key that `meta` has now, or under a former one. A `#[run]` names runs as it likes.
    pub fn is_keyed(meta: &WorkflowMeta, run: &Run) -> bool {
        let last = |former: &str| former.rsplit(SCOPE).next() == Some(&*run.shape);
        run.named || run.shape.is_empty() || meta.shape == run.shape || meta.formerly.iter().any(|former| last(former))
    }

    /// The recorded keys that the code has no place for, and does not retire.
    pub fn vanished(&self) -> Option<Vanished> {
        let run = self.state.runs.get(self.run)?;
        self.vanished_of(run, true).or_else(|| self.vanished_of(run, false))
    }

    fn vanished_of(&self, run: &Run, are_runs: bool) -> Option<Vanished> {
        let recorded = if are_runs { &run.inner } else { &run.shapes };
        // A step of a plain call has no shape.
        let is_gone = |shape: &str| {
            let is_left = !shape.is_empty() && !self.has(shape, are_runs) && !self.retires_shape(shape);
            is_left && (!are_runs || self.begun_of(shape).is_some())
        };
        let shapes: Vec<_> = recorded.keys().filter(|shape| is_gone(shape)).cloned().collect();
        let shape = shapes.first()?;
        let mut keys: Vec<String> = if are_runs {
            let is_it = |inner: &&String| {
                let is_gone = || shapes.iter().any(|shape| key::fits(shape, own(inner)));
                self.is_directly_inside(inner) && is_gone() && self.state.has_begun(inner)
            };
            self.state.runs.keys().filter(is_it).cloned().collect()
        } else {
            let steps = self.state.steps.of_run(self.run).filter(|(_, step)| is_gone(&step.shape));
            steps.map(|(own, _)| key::scoped(self.run, own)).collect()
        };
        if keys.is_empty() {
            keys.extend(recorded.get(shape).cloned());
        }
        keys.sort_unstable();
        keys.truncate(NAMED);
        Some(Vanished { keys, shapes, are_runs })
    }

    fn has(&self, shape: &str, is_run: bool) -> bool {
        let is_it = |step: &&StepMeta| (step.kind == StepKind::Run) == is_run;
        self.meta.steps.iter().filter(is_it).any(|step| {
            step.shape == shape
                || step.formerly.iter().any(|former| self.is_here(former).is_some_and(|own| own == shape))
        })
    }

    fn retires_shape(&self, shape: &str) -> bool {
        self.meta.retired.iter().any(|retired| self.is_here(retired).is_some_and(|own| own == shape))
    }

    /// The part of a former or retired key that is the step's own, if its run is this one.
    fn is_here<'s>(&self, shape: &'s str) -> Option<&'s str> {
        match shape.rsplit_once(SCOPE) {
            None => Some(shape),
            Some((run, own)) => key::fits(run, self.run).then_some(own),
        }
    }

    /// Whether the code has retired this key, or the run that it stands in.
    pub fn retires(&self, key: &str) -> bool {
        let whole = || std::iter::once(key).chain(key::around(key));
        self.meta.retired.iter().any(|retired| match retired.contains(SCOPE) {
            true => whole().any(|key| key::fits(retired, key)),
            false => whole().any(|key| self.is_directly_inside(key) && key::fits(retired, own(key))),
        })
    }

    fn is_directly_inside(&self, key: &str) -> bool {
        key::around(key).next() == Some(self.run)
    }

    /// What becomes of retired steps that are not settled. A person's word about one is taken as it is, since no step
    /// will read it; a doubt stays one, for retiring a step says nothing of what it did.
    pub fn retirement(&self) -> Retirement {
        let mut retirement = Retirement::default();
        if self.meta.retired.is_empty() {
            return retirement;
        }
        let inside = |step: &Step| key::is_inside(&step.run, self.run);
        let is_left = |key: &str| self.retires(key) && !self.goes_on_with(key);
        for (key, step) in self.state.open_steps().filter(|(key, step)| inside(step) && is_left(key)) {
            match &step.life {
                Life::Word(words) => {
                    let word = &words.first;
                    let late = self.state.late(key, false);
                    let event = if word.happened { settled(key, step, word) } else { denied(key, step, word) };
                    retirement.events.push(event);
                    retirement.events.extend(late.into_iter().map(Event::from));
                }
                Life::Reserved | Life::Doubt(_) => {
                    let (attempt, ask) = (step.attempt, step.tried().ask.to_string());
                    if retirement.in_doubt.is_none() {
                        retirement.in_doubt = Some((key.to_owned(), ask.clone()));
                    }
                    let why = RETIRED.to_owned();
                    retirement.events.push(
                        InDoubt { key: key.to_owned(), attempt, ask, why, gives: step.tried().gives.clone() }.into(),
                    );
                }
                // A wait that nobody keeps any more did nothing.
                Life::Rejected { .. } | Life::Failed(_) | Life::Done { .. } | Life::Asleep { .. } | Life::Asked => {}
            }
        }
        retirement
    }
}

/// The own part of a full key.
pub fn own(key: &str) -> &str {
    key.rsplit_once(SCOPE).map_or(key, |(_, own)| own)
}

/// A retired step that did not happen, says a person.
fn denied(key: &str, step: &Step, word: &Word) -> Event {
    Absent { key: key.to_owned(), attempt: step.attempt, by: word.by.clone(), retry_at: None, spent: false }.into()
}

/// A retired step that happened, says a person.
fn settled(key: &str, step: &Step, word: &Word) -> Event {
    let value = word.value.clone();
    let unstorable = value.is_none().then(|| "the step is retired, and nobody has said what it gave".to_owned());
    Done {
        key: key.into(),
        run: step.run.clone(),
        shape: step.shape.clone(),
        kind: step.kind,
        how: How::Resolved,
        attempt: step.attempt,
        title: step.title.clone(),
        value,
        unstorable,
        args: None,
        gives: None,
    }
    .into()
}

/// The key under which something is recorded: its present one, or the first of its former ones that is.
pub fn recorded_as(present: String, former: Vec<String>, is_recorded: impl Fn(&str) -> bool) -> String {
    if is_recorded(&present) || broken::is(Broken::FormerKeyForgotten) {
        return present;
    }
    former.into_iter().find(|key| is_recorded(key)).unwrap_or(present)
}
