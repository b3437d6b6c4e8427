//! Keys that come out otherwise in each start.

use super::own;
use crate::core::key;
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
