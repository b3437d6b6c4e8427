//! Templates whose shape is the same, and whose keys are others: a hole of them has another format now.

use super::Evolution;
use crate::broken::{self, Broken};
use crate::core::key;
use crate::core::meta::{StepKind, StepMeta};
use crate::core::outline::OutlineStep;

/// A template that was written otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// A key that is recorded of it.
    pub key: String,
    /// As it was written when that was recorded.
    pub before: String,
    /// As it is written now.
    pub now: String,
    /// Whether it is that of a `#[run]`.
    pub is_run: bool,
}

impl Evolution<'_> {
    /// A recorded template from which the code makes other keys.
    pub fn rewritten(&self) -> Option<Rewritten> {
        let rewritten = self.rewritten_run().or_else(|| self.rewritten_step());
        rewritten.filter(|_| !broken::is(Broken::RewrittenForgotten))
    }

    fn rewritten_run(&self) -> Option<Rewritten> {
        let mut begun = self.state.runs_in(self.run).filter(|(key, _)| self.state.has_begun(key));
        begun.find_map(|(key, inner)| self.otherwise(&inner.shape, key, inner.written.iter(), true))
    }

    fn rewritten_step(&self) -> Option<Rewritten> {
        let run = self.state.runs.get(self.run)?;
        run.shapes.iter().find_map(|(shape, key)| {
            let is_it = |step: &&OutlineStep| step.kind != StepKind::Run && step.shape == *shape;
            let newest = run.outline.steps.iter().find(is_it).map(|step| &step.key);
            let before = run.rewritten.get(shape).into_iter().flatten().chain(newest);
            self.otherwise(shape, key, before, false)
        })
    }

    /// The first of these forms of a recorded template that the code neither writes nor says it wrote before.
    fn otherwise<'s>(
        &self,
        shape: &str,
        key: &str,
        mut before: impl Iterator<Item = &'s String>,
        is_run: bool,
    ) -> Option<Rewritten> {
        let steps = self.meta.steps.iter().filter(|step| (step.kind == StepKind::Run) == is_run);
        let now: Vec<_> = steps.flat_map(|step| self.written(step, shape)).collect();
        let is_written = |before: &str| now.iter().any(|now| key::formats(now) == key::formats(before));
        let (before, now) = (before.find(|before| !is_written(before))?, now.first()?);
        Some(Rewritten { key: key.to_owned(), before: before.clone(), now: (*now).to_owned(), is_run })
    }

    /// The templates of this shape, as written, that a step has or had.
    fn written<'s>(&self, step: &'s StepMeta, shape: &str) -> Vec<&'s str> {
        let former = step.formerly.iter().enumerate();
        let former = former.filter(|(_, former)| self.is_here(former).is_some_and(|own| own == shape));
        let former = former.map(|(index, former)| *step.formerly_as.get(index).unwrap_or(former));
        (step.shape == shape).then_some(step.key).into_iter().chain(former).collect()
    }
}
