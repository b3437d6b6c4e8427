//! What is known of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::core::key;
use crate::core::meta::StepKind;
use crate::core::noted::Newest;
use crate::core::outline::{Outline, OutlineStep};
use crate::core::record::{Kept, Stored};
use crate::core::time::Timestamp;

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
    /// How that template was written when it was entered.
    pub written: Option<String>,
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
    /// By its shape, how a template of recorded steps was written before the code wrote it otherwise.
    pub rewritten: BTreeMap<String, BTreeSet<String>>,
    /// How many steps it has recorded.
    pub recorded: u64,
    /// How many of its steps are done.
    pub done: u64,
    /// Shape of the step that was done last.
    pub last_shape: Option<Arc<str>>,
    /// What its body has noted beside its steps, by what it is about.
    pub noted: BTreeMap<String, Newest>,
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

impl Run {
    /// It is finished: what is still asked of it is who it is, and what it gave.
    pub fn settle(&mut self) {
        self.added.clear();
        self.calls.clear();
        self.missed.clear();
        self.shapes.clear();
        self.inner.clear();
        self.rewritten.clear();
        self.noted.clear();
        (self.recorded, self.done, self.last_shape) = (0, 0, None);
    }

    /// Takes note of a step that it has recorded.
    pub fn note_step(&mut self, shape: &str, key: &str, is_new: bool) {
        self.recorded += u64::from(is_new);
        // The key of a plain call has no place in the code: it cannot vanish from there.
        if !shape.is_empty() && !self.shapes.contains_key(shape) {
            self.shapes.insert(shape.to_owned(), key.to_owned());
        }
    }

    /// Takes note of the code that goes on with it. How a recorded key was written stays known: what the code calls its former
    /// form once, it may forget to in the next version.
    pub fn note_code(&mut self, outline: &Arc<Outline>) {
        let is_new = |step: &&OutlineStep| !self.outline.steps.iter().any(|known| known.shape == step.shape);
        self.added.extend(outline.steps.iter().filter(is_new).map(|step| step.shape.clone()));
        self.calls.extend(outline.calls.iter().cloned());
        let is_step = |step: &&OutlineStep| step.kind != StepKind::Run;
        for step in self.outline.steps.iter().filter(is_step).filter(|step| self.shapes.contains_key(&step.shape)) {
            let mut now = outline.steps.iter().filter(is_step).filter(|now| now.shape == step.shape);
            if !now.any(|now| key::formats(&now.key) == key::formats(&step.key)) {
                self.rewritten.entry(step.shape.clone()).or_default().insert(step.key.clone());
            }
        }
        self.outline = Arc::clone(outline);
    }

    /// What the body sees of an input: what was recorded, or the default of one that was added later.
    pub fn input(&self, name: &str) -> Option<&Stored> {
        self.inputs.get(name).or_else(|| self.defaults.get(name))
    }
}
