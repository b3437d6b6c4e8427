//! How a run goes on, and what goes on when it is finished.

use std::collections::HashSet;
use std::sync::Arc;

use super::{LIST, Now, is_over};
use crate::core::handoff::letter::{Coming, Course, GivenUp, Named, Next, Outer};
use crate::core::key;
use crate::core::meta::StepKind;
use crate::core::outline::OutlineStep;
use crate::core::state::{Run, Step};

impl Now<'_> {
    pub(super) fn course(&self, run: &str, at: &Run, fix: bool) -> Course {
        let shape = self.shape(run, at);
        let is_known = shape.is_none_or(|shape| at.outline.steps.iter().any(|step| step.shape == shape));
        let steps = if is_known { at.outline.after(shape) } else { Vec::new() };
        let mut seen: HashSet<&str> = steps.iter().map(|step| &*step.shape).collect();
        let after = steps.iter().flat_map(|step| at.outline.after(Some(&step.shape)));
        let then = after.filter(|step| seen.insert(&step.shape)).take(LIST);
        Course {
            run: run.to_owned(),
            fix,
            then: then.map(coming).collect(),
            steps: is_known.then(|| steps.iter().copied().take(LIST).map(coming).collect()),
            outer: self.outer(run, at),
            more: self.leaves.len() - 1,
        }
    }

    /// What is left of a run that was given up.
    pub(super) fn gives_up(&self, (run, at): (&str, &Run)) -> Next {
        // Of code that has come to its end it matters what that did not come to.
        let is_left = |step: &&OutlineStep| !is_over(at) || !at.shapes.contains_key(&step.shape);
        let is_open = |shape: &str| self.open.iter().any(|(_, step)| *step.run == *run && *step.shape == *shape);
        let (open, cleanup): (Vec<_>, Vec<_>) =
            at.outline.steps.iter().filter(|step| step.cleanup).filter(is_left).partition(|step| is_open(&step.shape));
        let is_its_own = |step: &Step| *step.run == *run && !step.shape.is_empty() && !step.cleans_up;
        let newest = self.open.iter().rev().find(|(_, step)| is_its_own(step)).map(|(_, step)| &*step.shape);
        let undone = at.outline.after(newest.or(at.last_shape.as_deref())).into_iter().filter(|step| !step.cleanup);
        let enters_runs =
            at.outline.steps.iter().any(|step| step.kind == StepKind::Run) || !at.outline.calls.is_empty();
        Next::GivenUp(GivenUp {
            run: run.to_owned(),
            by: at.cancelled.as_ref().map(|cancelled| cancelled.by.clone()),
            is_over: is_over(at),
            is_cleaning: !open.is_empty(),
            may_clean_up: enters_runs || at.outline.steps.is_empty(),
            cleanup: cleanup.into_iter().take(LIST).map(coming).collect(),
            undone: undone.take(LIST).map(coming).collect(),
        })
    }

    /// The run around a run, and what comes there next: known of a run that is named at its call.
    fn outer(&self, run: &str, at: &Run) -> Option<Outer> {
        let outer = key::around(run).next()?;
        let outline = &self.state.runs.get(outer)?.outline;
        let steps = if at.named { outline.after(Some(&at.shape)) } else { Vec::new() };
        let steps = steps.into_iter().take(LIST).map(coming).collect();
        Some(Outer { run: outer.to_owned(), steps, around: key::around(outer).count() })
    }
}

/// Of what comes nobody knows yet what stands in the holes: the template of its key tells it from others, that of its
/// title tells nothing more.
fn coming(step: &OutlineStep) -> Coming {
    let title = step.title.as_deref().filter(|title| !title.contains('{'));
    let named = Named { key: step.key.as_str().into(), title: title.map(Arc::from) };
    Coming { named, is_run: step.kind == StepKind::Run }
}
