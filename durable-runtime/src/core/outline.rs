//! A workflow as its code has it: what a reader of the log needs to say what comes next.

mod mermaid;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::meta::{Proof, StepKind, StepMeta, WorkflowMeta};
pub(super) use mermaid::Mark;

/// Name, goal and steps of a workflow, in source order.
///
/// Recorded when a run starts, so that a reader without the code can still name the next step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// Name of the function.
    pub name: String,
    /// The goal as written in the code.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// What must stay true whatever happens.
    pub invariants: Vec<String>,
    /// Indexes of the steps that can come first.
    pub entry: Vec<u16>,
    /// The steps.
    pub steps: Vec<OutlineStep>,
    /// Names of what it calls, outside its steps, that may be workflows: a run that has none of its own is known by it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<String>,
}

/// One step of an [`Outline`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineStep {
    /// Template of the key as written.
    pub key: String,
    /// The same with empty holes.
    pub shape: String,
    /// The title as written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// What the step is.
    pub kind: StepKind,
    /// How a doubt about it ends.
    pub proof: Proof,
    /// Whom to ask.
    pub ask: String,
    /// The part of the workflow that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phase: Option<String>,
    /// Whether it runs in a run that was given up.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cleanup: bool,
    /// Line of the step in its source file.
    pub line: u32,
    /// Indexes of the steps that can follow.
    pub next: Vec<u16>,
}

impl Outline {
    /// The outline of a workflow.
    pub fn of(meta: &WorkflowMeta) -> Self {
        Self {
            name: meta.name.to_owned(),
            goal: meta.goal.map(str::to_owned),
            invariants: meta.invariants.iter().map(|&text| text.to_owned()).collect(),
            entry: meta.entry.to_vec(),
            steps: meta.steps.iter().map(OutlineStep::of).collect(),
            calls: meta.calls.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// The steps that can follow the step of this shape; those that can come first if there is none.
    pub fn after(&self, shape: Option<&str>) -> Vec<&OutlineStep> {
        let step = shape.and_then(|shape| self.steps.iter().find(|step| step.shape == shape));
        let next = step.map_or(&self.entry, |step| &step.next);
        next.iter().filter_map(|&index| self.steps.get(usize::from(index))).collect()
    }
}

impl OutlineStep {
    fn of(meta: &StepMeta) -> Self {
        Self {
            key: meta.key.to_owned(),
            shape: meta.shape.to_owned(),
            title: meta.title.map(str::to_owned),
            kind: meta.kind,
            proof: meta.proof,
            ask: meta.ask.to_owned(),
            phase: meta.phase.map(str::to_owned),
            cleanup: meta.cleanup,
            line: meta.line,
            next: meta.next.to_vec(),
        }
    }
}

impl fmt::Display for Outline {
    /// One line per step or named run, in source order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if let Some(goal) = &self.goal {
            write!(f, ": {goal}")?;
        }
        for step in &self.steps {
            write!(f, "\n  {}", step.key)?;
            if step.kind == StepKind::Run {
                f.write_str(" (a run)")?;
            }
            if let Some(title) = &step.title {
                write!(f, " - {title}")?;
            }
        }
        Ok(())
    }
}
