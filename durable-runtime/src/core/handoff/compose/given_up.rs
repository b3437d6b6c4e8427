//! What people have given up, or will have when the session is taken next.

use std::collections::HashSet;

use super::Now;
use crate::core::key;
use crate::core::state::{Run, Step};

impl<'a> Now<'a> {
    /// Whether nobody goes on with this step.
    pub(super) fn is_given_up(&self, step: &Step) -> bool {
        self.state.is_given_up(step) || (!step.cleans_up && self.has_cancelled(&step.run))
    }

    /// Whether this run was given up by itself.
    pub(super) fn is_cancelled(&self, run: &str) -> bool {
        let is_recorded = self.state.runs.get(run).is_some_and(|run| run.cancelled.is_some());
        is_recorded || self.cancels.iter().any(|word| word.key == run)
    }

    /// Whether a word in the inbox gives up this run, or one around it.
    fn has_cancelled(&self, run: &str) -> bool {
        self.cancels.iter().any(|word| key::is_inside(run, &word.key))
    }

    /// The runs that have not finished and have no such run inside them, the newest first.
    pub(super) fn leaves(&self) -> Vec<(&'a str, &'a Run)> {
        let mut outer = HashSet::new();
        let mut leaves = Vec::new();
        let is_left = |run: &str| self.state.cancelled(run).is_some() || self.has_cancelled(run);
        // A run begins after the runs around it, which do not wait for one that was given up.
        for key in self.state.active.values().rev().filter(|key| !is_left(key)) {
            if !outer.contains(key.as_str()) {
                leaves.extend(self.state.runs.get(key).map(|run| (key.as_str(), run)));
            }
            outer.extend(key::around(key));
        }
        leaves
    }

    /// See the field. One that the run around it has left behind, or that was given up with it, is not told of.
    pub(super) fn given_up(&self) -> Vec<(&'a str, &'a Run)> {
        let state = self.state;
        let is_finished = |run: &str| state.runs.get(run).is_some_and(|run| run.value.is_some());
        let is_told = |run: &str| is_finished(run) || self.is_cancelled(run);
        let runs = state.active.values().rev().filter(|key| !key::around(key).any(is_told));
        let runs = runs.filter_map(|key| Some((key.as_str(), state.runs.get(key)?)));
        runs.filter(|(key, _)| self.is_cancelled(key)).collect()
    }
}
