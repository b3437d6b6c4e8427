//! Templates whose shape is the same, and whose keys are others: a hole of them has another format now.

use super::Evolution;
use crate::broken::{self, Broken};
use crate::core::key;
use crate::core::meta::{StepKind, StepMeta};

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
        let rewritten = self.rewritten_of(true).or_else(|| self.rewritten_of(false));
        rewritten.filter(|_| !broken::is(Broken::RewrittenForgotten))
    }

    fn rewritten_of(&self, is_run: bool) -> Option<Rewritten> {
        let run = self.state.runs.get(self.run)?;
        let is_it = |kind: StepKind| (kind == StepKind::Run) == is_run;
        let recorded = if is_run { &run.inner } else { &run.shapes };
        recorded.iter().find_map(|(shape, key)| {
            let key = if is_run { self.begun_of(shape)? } else { key };
            let newest = run.outline.steps.iter().find(|step| step.shape == *shape && is_it(step.kind));
            let before = run.written.get(&(is_run, shape.clone())).into_iter().flatten();
            let mut before = before.chain(newest.map(|step| &step.key));
            let now: Vec<_> = self
                .meta
                .steps
                .iter()
                .filter(|step| is_it(step.kind))
                .flat_map(|step| self.written(step, shape))
                .collect();
            let is_written = |before: &str| now.iter().any(|now| key::formats(now) == key::formats(before));
            let (before, now) = (before.find(|before| !is_written(before))?, now.first()?);
            Some(Rewritten { key: key.to_owned(), before: before.clone(), now: (*now).to_owned(), is_run })
        })
    }

    /// The templates of this shape, as written, that a step has or had.
    fn written<'s>(&self, step: &'s StepMeta, shape: &str) -> Vec<&'s str> {
        let former = step.formerly.iter().enumerate();
        let former = former.filter(|(_, former)| self.is_here(former).is_some_and(|own| own == shape));
        let former = former.map(|(index, former)| *step.formerly_as.get(index).unwrap_or(former));
        (step.shape == shape).then_some(step.key).into_iter().chain(former).collect()
    }
}
