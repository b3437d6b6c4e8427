//! Keys that come out otherwise in each start.

use super::{Evolution, own};
use crate::core::key;
use crate::core::meta::{StepKind, StepMeta};
use crate::core::start::Start;
use crate::core::state::State;

/// The recorded keys of a template that an earlier start of a run ended without reaching, and that this one has not reached
/// either. Another new key of the template would be one more effect, and so in every start.
pub fn missed(state: &State, start: &Start, run: &str, shape: &str) -> Vec<String> {
    if !state.runs.get(run).is_some_and(|run| run.missed.contains(shape)) {
        return Vec::new();
    }
    let steps = state.steps.of_run(run).filter(|(_, step)| *step.shape == *shape && !step.life.is_absent());
    let runs = state.runs_in(run).filter(|(_, inner)| inner.shape == shape && inner.cancelled.is_none());
    let keys = steps.map(|(own, _)| own).chain(runs.map(|(key, _)| own(key))).map(|own| key::scoped(run, own));
    let mut missed: Vec<_> = keys.filter(|key| !start.reached(key)).collect();
    // The same is told of the same, whatever order a table has.
    missed.sort_unstable();
    missed
}

impl Evolution<'_> {
    /// What to write where the code has changed, and a run ended without reaching what is recorded under this shape.
    pub fn way_to(&self, shape: &str, is_run: bool) -> String {
        let is_there = |step: &&StepMeta| (step.kind == StepKind::Run) == is_run && *step.shape == *shape;
        if self.meta.steps.iter().any(|step| is_there(&step)) {
            "let runs that began before go the way that leads there (`version`, `session.began_at()`)".to_owned()
        } else if self.has(shape, is_run) {
            format!(
                "and two have become one, take \"{shape}\" out of `formerly`, and write `retired = [\"{shape}\"]` on the workflow"
            )
        } else {
            format!("name what became of it with `formerly`, or write `retired = [\"{shape}\"]` on the workflow")
        }
    }
}
