//! Entering a run: the first thing that every workflow does.

mod changed;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::call::Name;
use super::commit::Commit;
use super::former::{Former, former_key};
use super::inputs::Inputs;
use super::live::Live;
use super::surroundings::Around;
use super::{Run, Session, secrets};
use crate::core::evolution::{self, Evolution};
use crate::core::key::{self, Hole, KeyProblem};
use crate::core::meta::WorkflowMeta;
use crate::core::outline::Outline;
use crate::core::record::{self, Code, Refused, Stored};
use crate::core::start::{Place, Stop};
use crate::core::text::{self, Text};
use crate::error::{Error, Kind, Places, StopText};

/// The most that is shown of a key, in bytes.
const SHOWN: usize = 400;

/// Enters the run that was asked for: begins it, goes on with it, or finds it finished.
pub(crate) async fn enter(
    asked: Asked,
    meta: &'static WorkflowMeta,
    goal: Option<Text>,
    inputs: Inputs,
) -> Result<Run, Error> {
    let Asked { around: Around { session, name, .. }, key, is_former } = asked;
    let own = Place { file: meta.file, line: meta.line };
    let at = name.as_ref().map_or(own, |name| name.place());
    let (key, problem) = match key {
        Ok(key) => (key, None),
        Err(error) => (key::scoped(&session.scope, meta.key), Some(error)),
    };
    let session = &session;
    let (name, goal) = (name.as_deref(), session.worded(goal));
    let mut entry = Entry { session, name, meta, at, key, is_former, goal, inputs, fetched: BTreeMap::new() };
    let prepared = match problem {
        None => entry.prepare().await,
        Some(problem) => Err(problem),
    };
    match prepared.and_then(|()| entry.admit()) {
        Ok(run) => {
            session.commit(Commit::Written).await.map_err(|source| session.not_written(source))?;
            Ok(run)
        }
        Err(error) => Err(entry.refuse(error).await),
    }
}

/// The run that a call asks for.
pub(crate) struct Asked {
    around: Around,
    key: Result<String, Error>,
    /// Whether that is a key which the workflow had before.
    is_former: bool,
}

impl Asked {
    /// The run that the call gives a name, or else the one that a template and its holes name.
    pub(crate) fn of(
        session: &Session,
        meta: &WorkflowMeta,
        pieces: &[&str],
        holes: &[Hole<'_>],
        former: &[Former<'_>],
    ) -> Self {
        debug_assert_eq!(pieces.len(), holes.len() + 1, "template {:?}", meta.key);
        let around = Around::of(session);
        let at = Place { file: meta.file, line: meta.line };
        let bad = |problem| Kind::BadKey { template: meta.key.to_owned(), at, problem }.into();
        if let Some(name) = &around.name {
            return Self { key: name.take(meta), is_former: false, around };
        }
        let full = full_key(&around.session, pieces, holes);
        let present = full.and_then(|full| around.session.fit_to_be_told(full, meta.allows_secrets)).map_err(bad);
        let mut is_former = false;
        let key = present.map(|present| {
            let key = recorded_key(&around.session, &present, former);
            is_former = key != present;
            key
        });
        Self { around, key, is_former }
    }
}

/// One call of a workflow.
struct Entry<'a> {
    session: &'a Session,
    /// What the call says of the run.
    name: Option<&'a Name>,
    meta: &'static WorkflowMeta,
    at: Place,
    key: String,
    /// Whether the workflow had that key before.
    is_former: bool,
    goal: Option<String>,
    inputs: Inputs,
    /// The inputs that are kept apart from the log.
    fetched: BTreeMap<String, Stored>,
}

impl Entry<'_> {
    /// Whether the run may stop without stopping the one that calls.
    fn is_later(&self) -> bool {
        self.name.is_some_and(|name| name.is_later)
    }

    /// Records why the run is not entered, and stops the run that asked for it: a refusal that is swallowed there cannot
    /// choose another path.
    async fn refuse(&self, error: Error) -> Error {
        if error.is_stopped() {
            return error;
        }
        let why = error.to_string();
        let cause = error.cause();
        let origin = {
            let mut live = self.session.shared.live();
            let stop = Stop { key: self.key.clone(), place: Some(self.at), why: why.clone(), cause, way: None };
            live.start.refuse(if self.is_later() { &self.key } else { &self.session.scope }, &stop);
            live.origin(&self.session.scope, &why)
        };
        let refused = Refused { run: self.key.clone(), key: None, error: why, origin };
        self.session.tell(refused).await.err().unwrap_or(error)
    }

    /// Fetches the inputs that are kept apart, or keeps apart those of a run that is to begin.
    async fn prepare(&mut self) -> Result<(), Error> {
        let shared = &self.session.shared;
        let apart = shared.live().state.runs.get(&self.key).map(|run| {
            let apart = run.inputs.iter().filter(|(_, input)| input.apart().is_some());
            apart.map(|(name, input)| (name.clone(), input.clone())).collect::<Vec<_>>()
        });
        let Some(apart) = apart else {
            self.holds_none(self.inputs.secret(&shared.secrets))?;
            self.fetched = self.inputs.set_apart(shared).await.map_err(|source| self.session.not_written(source))?;
            return Ok(());
        };
        for (input, value) in apart {
            let value = shared.fetch(&value).await.map_err(|source| Kind::InputUnfetched {
                run: self.key.clone(),
                input: input.clone(),
                source,
            })?;
            self.fetched.insert(input, value);
        }
        Ok(())
    }

    fn admit(&self) -> Result<Run, Error> {
        let now = self.session.shared.clock.now();
        let mut guard = self.session.shared.live();
        let live = &mut *guard;
        self.session.admits(live, &self.key)?;
        if self.session.scope.is_empty()
            && let Some((run, stop)) = live.start.driven_and_stopped()
        {
            let (here, run, stop) = (self.key.clone(), run.to_owned(), StopText(stop.clone()));
            return Err(Kind::Stopped { here, run, stop }.into());
        }
        self.session.is_outside_effects(live, &self.key, self.at)?;
        if !self.is_later() {
            self.session.is_complete(live, &self.key, self.at)?;
        }
        let finished = live.state.runs.get(&self.key).and_then(|run| run.value.clone());
        self.reach(live, finished.is_some())?;
        match live.state.runs.get(&self.key) {
            Some(_) => self.go_on(live, now)?,
            None => self.begin(live, now)?,
        }
        let was_given_up = live.state.cancelled(&self.key).is_some();
        drop(guard);
        Ok(Run::new(self.session.inside(&self.key), self.meta, finished, self.fetched.clone(), was_given_up))
    }

    /// A run is entered once in a start; only a finished root run gives its result again and again.
    ///
    /// Not so while another root run is under way: then it may be a task of that run, and what is asked for is another
    /// effect. Nor where another function has entered it: its effects are others, under the same name.
    fn reach(&self, live: &mut Live, finished: bool) -> Result<(), Error> {
        let types = self.inputs.instance.join(", ");
        let others = if types.is_empty() { None } else { live.start.enter_for(&self.key, &types) };
        let Some(first) = live.start.reach(&self.key, self.at) else { return Ok(()) };
        let is_root = self.session.scope.is_empty();
        if finished && is_root && first == self.at && !live.start.drives_another(&self.key) {
            self.tell_of_repeat();
            return others.map_or(Ok(()), |before| Err(self.for_other_types(before, types).into()));
        }
        let (key, again) = (self.key.clone(), self.at);
        Err(match live.start.stop_of(&key) {
            Some(stop) => Kind::Stopped { here: key.clone(), run: key, stop: StopText(stop.clone()) }.into(),
            None if self.name.is_some() || self.session.scope.is_empty() || self.meta.shape.contains('{') => {
                Kind::KeyReused { key, places: Places { first, again } }.into()
            }
            None => {
                let (workflow, shape) = (self.meta.name.to_owned(), self.meta.shape.to_owned());
                Kind::RunReused { run: key, workflow, at: self.at, shape }.into()
            }
        })
    }

    /// A generic workflow whose run is that of its other instance.
    fn for_other_types(&self, first: String, again: String) -> Kind {
        let (run, workflow) = (self.key.clone(), self.meta.name.to_owned());
        Kind::RunOfOtherTypes { run, workflow, at: self.at, first, again }
    }

    /// Where one process calls a workflow again, it may mean another run of it.
    fn tell_of_repeat(&self) {
        if let Some(name) = self.session.shared.settings.speaks {
            let key = text::key(&self.key, SHOWN);
            crate::run::tell(
                name,
                &format!(
                    "run {key} was finished before in this start: its result is given again, and nothing is done; if this call is for something else, put what differs into the `key` of workflow `{}`",
                    self.meta.name
                ),
            );
        }
    }

    fn go_on(&self, live: &mut Live, now: crate::core::time::Timestamp) -> Result<(), Error> {
        if let Some(name) = self.name {
            let recorded = live.state.runs.get(&self.key).and_then(|run| run.title.clone());
            let (shape, title) = (&name.plan.shape, name.title.as_deref());
            self.session.shared.tell_of_title(live, shape, &self.key, recorded.as_deref(), title);
        }
        let Some(run) = live.state.runs.get(&self.key) else { return Ok(()) };
        if !Evolution::is_named(self.meta, &run.workflow) && !self.is_former {
            let (recorded, given) = (run.workflow.clone(), self.meta.name.to_owned());
            return Err(Kind::KeyConflict { run: self.key.clone(), recorded, given, at: self.at }.into());
        }
        self.inputs.compare(&self.key, run, &self.fetched, &self.session.shared.secrets)?;
        if run.value.is_some() {
            if self.session.scope.is_empty() {
                tracing::warn!(run = self.key, "this run is finished: its recorded result is given again");
            }
            live.start.replay(&self.key);
            return Ok(());
        }
        if run.version > self.meta.version {
            let (run, workflow, began) = (self.key.clone(), self.meta.name.to_owned(), run.version);
            return Err(Kind::BegunByNewer { run, workflow, began, given: self.meta.version, at: self.at }.into());
        }
        // Code with another key may have done it all under that, and have been taken back.
        if !live.state.has_begun(&self.key) {
            self.is_not_rekeyed(live)?;
            self.is_first_of(live, &run.inputs)?;
        }
        self.retire(live, now)?;
        let uncalled = Evolution::new(&live.state, &self.key, self.meta).uncalled();
        live.start.miss(&self.key, uncalled);
        let Some(run) = live.state.runs.get(&self.key) else { return Ok(()) };
        let outline = Outline::of(self.meta);
        let inputs = self.inputs.defaults(run).map_err(|unfit| self.unfit(unfit))?;
        self.holds_none(self.inputs.secret_default(&inputs, &self.session.shared.secrets))?;
        if *run.outline != outline || !inputs.is_empty() {
            for input in inputs.keys() {
                tracing::warn!(run = self.key, input, "this run was begun without the input: its default is recorded");
            }
            live.push(now, Code { run: self.key.clone(), inputs, outline: Arc::new(outline) });
        }
        Ok(())
    }

    fn begin(&self, live: &mut Live, now: crate::core::time::Timestamp) -> Result<(), Error> {
        let (workflow, at) = (self.meta.name.to_owned(), self.at);
        if self.session.scope.is_empty()
            && let Some((unfinished, workflow, former)) = self.unfinished(live)
        {
            return Err(Kind::UnfinishedRun { run: self.key.clone(), at, unfinished, workflow, former }.into());
        }
        self.is_not_rekeyed(live)?;
        if live.state.cancelled(&self.key).is_none() {
            self.session.leaves_nothing(live, &self.key, self.at)?;
            let shape = self.name.map_or(self.meta.shape, |name| &name.plan.shape);
            self.session.is_not_anew(live, &self.key, shape, self.at)?;
        }
        // Inside another run there is one: that run's.
        if self.session.scope.is_empty() && self.goal.is_none() && live.state.goal.is_none() {
            let outside = |run| Kind::OutsideRun { what: format!("workflow `{workflow}`"), at, run };
            let kind = live.under_way().map(outside);
            return Err(kind.unwrap_or(Kind::NoGoal { workflow, at }).into());
        }
        let inputs = self.inputs.recorded(&self.session.shared).map_err(|unfit| self.unfit(unfit))?;
        self.is_first_of(live, &inputs)?;
        let (run, goal, title) = (self.key.clone(), self.goal.clone(), self.name.and_then(|name| name.title.clone()));
        let shape = self.name.map_or(self.meta.shape, |name| &name.plan.shape).to_owned();
        let (named, outline) = (self.name.is_some(), Arc::new(Outline::of(self.meta)));
        let version = (self.meta.version > 1).then_some(self.meta.version);
        live.push(now, record::Run { run, workflow, shape, named, title, goal, version, inputs, outline });
        Ok(())
    }

    /// Refuses an input that holds a secret: it would be written as it is.
    fn holds_none(&self, secret: Option<(&str, &str)>) -> Result<(), Error> {
        match secret.filter(|_| !self.meta.allows_secrets) {
            Some((input, holds)) => Err(self.unfit((input, secrets::in_input(holds)))),
            None => Ok(()),
        }
    }

    fn unfit(&self, (input, error): (&str, String)) -> Error {
        let workflow = self.meta.name.to_owned();
        Kind::InputNotStorable { workflow, input: input.to_owned(), at: self.at, error }.into()
    }
}

/// The key under which the run is recorded, if it is: a workflow that had another key before goes on under that.
fn recorded_key(session: &Session, present: &str, former: &[Former<'_>]) -> String {
    let present = present.to_owned();
    if former.is_empty() {
        return present;
    }
    let former = former.iter().filter_map(|former| former_key(&session.scope, *former)).collect();
    let state = &session.shared.live().state;
    // Of a log that is gone only the registry may know what the run had reserved.
    let is_inside = |run: &str| state.open_steps().any(|(_, step)| key::is_inside(&step.run, run));
    evolution::recorded_as(present, former, |run| state.runs.contains_key(run) || is_inside(run))
}

fn full_key(session: &Session, pieces: &[&str], holes: &[Hole<'_>]) -> Result<String, KeyProblem> {
    let part = key::fill(pieces, holes)?;
    key::check_part(&part)?;
    let full = key::scoped(&session.scope, &part);
    key::check(&full)?;
    Ok(full)
}
