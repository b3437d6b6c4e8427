//! Runs that a run has entered without naming them, where the code no longer makes the calls that entered them.

use super::{Evolution, own};
use crate::broken::{self, Broken};
use crate::core::key;
use crate::core::meta::StepKind;
use crate::core::state::{Run, Step, keys_in};

impl<'a> Evolution<'a> {
    /// The runs that were entered by calls which the code no longer makes, where something was done in them and the code
    /// does not say what became of them. One of them may still be reached: by a workflow that was called otherwise when it
    /// was begun, or by a call that is made elsewhere now.
    pub fn uncalled(&self) -> Vec<String> {
        let Some(run) = self.state.runs.get(self.run) else { return Vec::new() };
        if broken::is(Broken::UncalledForgotten) {
            return Vec::new();
        }
        let was_called = |inner: &Run| !inner.named && run.calls.contains(&inner.workflow);
        let is_called = |inner: &Run| self.meta.calls.contains(&&*inner.workflow);
        let uncalled = self.state.runs_in(self.run).filter(|(key, inner)| {
            was_called(inner)
                && !is_called(inner)
                && inner.cancelled.is_none()
                && self.state.has_begun(key)
                && !self.is_named_now(key)
                && !self.leaves(key)
        });
        uncalled.map(|(key, _)| key.to_owned()).collect()
    }

    /// Whether a run inside this one need not be reached any more: it is retired, or the steps of this one go on with all
    /// that was begun in it.
    pub fn leaves(&self, inner: &str) -> bool {
        let direct = std::iter::once(inner).chain(key::around(inner)).find(|key| self.is_directly_inside(key));
        self.retires(inner) || direct.is_some_and(|direct| self.goes_on_with_all_of(direct))
    }

    /// A run of this shape that this one has named, and in which anything was recorded.
    pub(super) fn begun_of(&self, shape: &str) -> Option<&'a str> {
        let (state, outer) = (self.state, self.run);
        let mut inner = state.runs_in(outer).filter(|(_, inner)| inner.named && inner.shape == shape);
        inner.find(|(key, _)| self.state.has_begun(key)).map(|(key, _)| key)
    }

    /// Whether a step of this run had that full key before.
    pub(super) fn goes_on_with(&self, step: &str) -> bool {
        let former = self.meta.steps.iter().filter(|step| step.kind != StepKind::Run).flat_map(|step| step.formerly);
        former.into_iter().any(|former| key::fits(former, step))
    }

    /// What stood in a finished run is forgotten, so nothing goes on with that.
    fn goes_on_with_all_of(&self, inner: &str) -> bool {
        let is_finished = self.state.runs.get(inner).is_some_and(|run| run.value.is_some());
        let mut steps = self.steps_inside(inner).peekable();
        !is_finished && steps.peek().is_some() && steps.all(|(key, _)| self.goes_on_with(&key) || self.retires(&key))
    }

    /// Whether a `#[run]` says that its run had that key before.
    fn is_named_now(&self, inner: &str) -> bool {
        let runs = self.meta.steps.iter().filter(|step| step.kind == StepKind::Run);
        let mut former = runs.flat_map(|step| step.formerly);
        former.any(|former| self.is_here(former).is_some_and(|shape| key::fits(shape, own(inner))))
    }

    fn steps_inside(&self, run: &str) -> impl Iterator<Item = (String, &'a Step)> {
        let state = self.state;
        let runs = std::iter::once(run.to_owned()).chain(keys_in(&state.runs, run));
        runs.flat_map(|run| {
            let steps = state.steps.of_run(&run).map(|(own, step)| (key::scoped(&run, own), step));
            steps.collect::<Vec<_>>()
        })
    }
}
