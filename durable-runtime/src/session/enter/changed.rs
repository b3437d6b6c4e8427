//! Code that changed under a run which is entered: what is refused of it before anything runs.

use std::collections::BTreeMap;

use super::Entry;
use crate::broken::{self, Broken};
use crate::core::evolution::{Evolution, Rewritten, Vanished};
use crate::core::key;
use crate::core::record::Stored;
use crate::core::state::Run;
use crate::core::time::Timestamp;
use crate::error::{Error, Kind};
use crate::session::live::Live;

impl Entry<'_> {
    /// Settles what the code has retired. What it no longer has and does not retire is refused before anything runs.
    pub(super) fn retire(&self, live: &mut Live, now: Timestamp) -> Result<(), Error> {
        let code = Evolution::new(&live.state, &self.key, self.meta);
        if let Some(vanished) = code.vanished() {
            return Err(self.vanished(live, vanished).into());
        }
        if let Some(rewritten) = code.rewritten() {
            return Err(self.rewritten(rewritten).into());
        }
        let retirement = code.retirement();
        for event in retirement.events {
            live.push(now, event);
        }
        match retirement.in_doubt {
            Some((key, ask)) => Err(Kind::RetiredInDoubt { run: self.key.clone(), key, ask, at: self.at }.into()),
            None => Ok(()),
        }
    }

    fn vanished(&self, live: &Live, Vanished { keys, shapes, are_runs }: Vanished) -> Kind {
        let quoted = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let (run, keys, at) = (self.key.clone(), quoted(&keys), self.at);
        let (shape, others) = shapes.split_first().map_or_else(Default::default, |(shape, others)| {
            let others = if others.is_empty() { String::new() } else { format!("; so too with {}", quoted(others)) };
            (shape.clone(), others)
        });
        match are_runs {
            true => Kind::RunVanished { run, keys: format!("run {keys}"), shape, others, at },
            false => {
                let outer = self.full_shape(live);
                Kind::StepVanished { run, keys: format!("step {keys}"), shape, outer, others, at }
            }
        }
    }

    /// The full key of the run as `formerly` takes it: its own part with empty holes.
    fn full_shape(&self, live: &Live) -> String {
        let shape = |key: &str| live.state.runs.get(key).map(|run| run.shape.clone());
        let mut shapes: Vec<_> = std::iter::once(&*self.key).chain(key::around(&self.key)).filter_map(shape).collect();
        shapes.reverse();
        shapes.join(key::SCOPE)
    }

    fn rewritten(&self, Rewritten { key, before, now, is_run }: Rewritten) -> Kind {
        let (what, on) = if is_run { ("run", "into its `#[run]`") } else { ("step", "on it") };
        Kind::KeyRewritten { run: self.key.clone(), at: self.at, what, key, before, now, on }
    }

    /// Refuses a run beside one that has the key which the workflow had before.
    pub(super) fn is_not_rekeyed(&self, live: &Live) -> Result<(), Error> {
        let Some((known, former)) = self.known_otherwise(live) else { return Ok(()) };
        let (run, workflow) = (self.key.clone(), self.meta.name.to_owned());
        Err(Kind::RunRekeyed { run, at: self.at, workflow, known, former }.into())
    }

    /// Refuses a run beside one of the same inputs.
    pub(super) fn is_first_of(&self, live: &Live, inputs: &BTreeMap<String, Stored>) -> Result<(), Error> {
        let Some(known) = self.begun_as(live, inputs) else { return Ok(()) };
        let (run, workflow) = (self.key.clone(), self.meta.name.to_owned());
        Err(Kind::RunOfSameInputs { run, at: self.at, workflow, known, key: self.meta.key }.into())
    }

    /// A run of this workflow in the one that calls, under a key that its template no longer gives, which nobody has
    /// entered in this start: under the key of now the effects of it would happen again.
    fn known_otherwise(&self, live: &Live) -> Option<(String, String)> {
        if self.name.is_some() || self.session.scope.is_empty() {
            return None;
        }
        let (key, run) = live.state.runs_in(&self.session.scope).find(|(key, run)| {
            Evolution::is_named(self.meta, &run.workflow)
                && !Evolution::is_keyed(self.meta, run)
                && run.cancelled.is_none()
                && !live.start.reached(key)
                && live.state.has_begun(key)
        })?;
        Some((key.to_owned(), run.shape.clone()))
    }

    /// A run of this workflow that has the same inputs, and nobody has entered in this start. Where a key comes of inputs
    /// alone, another template gave that one its key.
    fn begun_as(&self, live: &Live, inputs: &BTreeMap<String, Stored>) -> Option<String> {
        if broken::is(Broken::SameInputsForgotten) {
            return None;
        }
        if self.name.is_some() || !self.meta.shape.contains('{') || !key::is_of_inputs(self.meta.key) {
            return None;
        }
        let is_root = self.session.scope.is_empty();
        let (key, _) = live.state.runs_beside(&self.session.scope).find(|(key, run)| {
            !run.named
                && run.cancelled.is_none()
                && !run.shape.is_empty()
                && Evolution::is_keyed(self.meta, run)
                && Evolution::is_named(self.meta, &run.workflow)
                && run.inputs == *inputs
                && !live.start.reached(key)
                && (is_root || live.state.has_begun(key))
        })?;
        Some(key.to_owned())
    }

    /// A root run of another workflow, or of this one under a key that its template no longer gives, that nobody has
    /// entered in this start, and that is not finished; its workflow, and what `formerly` would call it.
    pub(super) fn unfinished(&self, live: &Live) -> Option<(String, String, String)> {
        let forgotten = |key: &str| !key.contains(key::SCOPE) && !live.start.reached(key);
        let is_ours = |run: &Run| Evolution::is_named(self.meta, &run.workflow);
        let mut runs = live.state.runs.iter();
        let (key, run) = runs.find(|(key, run)| {
            run.value.is_none()
                && run.cancelled.is_none()
                && !(is_ours(run) && Evolution::is_keyed(self.meta, run))
                && forgotten(key)
        })?;
        let former = if is_ours(run) { &run.shape } else { &run.workflow };
        Some((key.clone(), run.workflow.clone(), former.clone()))
    }
}
