//! Entering a run: the first thing that every workflow does.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::call::Name;
use super::commit::Commit;
use super::inputs::Inputs;
use super::live::Live;
use super::surroundings::Around;
use super::{Run, Session};
use crate::core::key::{self, Hole, KeyProblem};
use crate::core::meta::WorkflowMeta;
use crate::core::outline::Outline;
use crate::core::record::{self, Code, Refused, Stored};
use crate::core::start::{Place, Stop};
use crate::core::text::Text;
use crate::error::{Error, Kind, Places, StopText};

/// Enters the run that was asked for: begins it, goes on with it, or finds it finished.
pub(crate) async fn enter(
    asked: Asked,
    meta: &'static WorkflowMeta,
    goal: Option<Text>,
    inputs: Inputs,
) -> Result<Run, Error> {
    let Asked { around: Around { session, name }, key } = asked;
    let own = Place { file: meta.file, line: meta.line };
    let at = name.as_ref().map_or(own, |name| name.place());
    let (key, problem) = match key {
        Ok(key) => (key, None),
        Err(error) => (key::scoped(&session.scope, meta.key), Some(error)),
    };
    let session = &session;
    let goal = goal.map(Text::into_string);
    let mut entry = Entry { session, name: name.as_deref(), meta, at, key, goal, inputs, fetched: BTreeMap::new() };
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
}

impl Asked {
    /// The run that the call gives a name, or else the one that a template and its holes name.
    pub(crate) fn of(session: &Session, meta: &WorkflowMeta, pieces: &[&str], holes: &[Hole<'_>]) -> Self {
        debug_assert_eq!(pieces.len(), holes.len() + 1, "template {:?}", meta.key);
        let around = Around::of(session);
        let at = Place { file: meta.file, line: meta.line };
        let bad = |problem| Kind::BadKey { template: meta.key.to_owned(), at, problem }.into();
        let key = match &around.name {
            Some(name) => name.take(meta),
            None => full_key(&around.session, pieces, holes).map_err(bad),
        };
        Self { around, key }
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
    goal: Option<String>,
    inputs: Inputs,
    /// The inputs that are kept apart from the log.
    fetched: BTreeMap<String, Stored>,
}

impl Entry<'_> {
    /// Records why the run is not entered, and stops the run that asked for it: a refusal that is swallowed there cannot
    /// choose another path.
    async fn refuse(&self, error: Error) -> Error {
        if error.is_stopped() {
            return error;
        }
        let why = error.to_string();
        let cause = error.cause();
        {
            let mut live = self.session.shared.live();
            let stop = Stop { key: self.key.clone(), place: Some(self.at), why: why.clone(), cause };
            live.start.refuse(&self.session.scope, &stop);
        }
        let refused = Refused { run: self.key.clone(), key: None, error: why };
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
        let finished = live.state.runs.get(&self.key).and_then(|run| run.value.clone());
        self.reach(live, finished.is_some())?;
        match live.state.runs.get(&self.key) {
            Some(_) => self.go_on(live, now)?,
            None => self.begin(live, now)?,
        }
        drop(guard);
        Ok(Run::new(self.session.inside(&self.key), self.meta, finished, self.fetched.clone()))
    }

    /// A run is entered once in a start; only a finished root run gives its result again and again.
    ///
    /// Not so while another root run is under way: then it may be a task of that run, and what is asked for is another
    /// effect.
    fn reach(&self, live: &mut Live, finished: bool) -> Result<(), Error> {
        let Some(first) = live.start.reach(&self.key, self.at) else { return Ok(()) };
        let is_root = self.session.scope.is_empty();
        if finished && is_root && !live.start.drives_another(&self.key) {
            return Ok(());
        }
        let (key, again) = (self.key.clone(), self.at);
        Err(match live.start.stop_of(&key) {
            Some(stop) => Kind::Stopped { here: key.clone(), run: key, stop: StopText(stop.clone()) }.into(),
            None => Kind::KeyReused { key, places: Places { first, again } }.into(),
        })
    }

    fn go_on(&self, live: &mut Live, now: crate::core::time::Timestamp) -> Result<(), Error> {
        let Some(run) = live.state.runs.get(&self.key) else { return Ok(()) };
        if run.workflow != self.meta.name {
            let (recorded, given) = (run.workflow.clone(), self.meta.name.to_owned());
            return Err(Kind::KeyConflict { run: self.key.clone(), recorded, given, at: self.at }.into());
        }
        self.inputs.compare(&self.key, run, &self.fetched)?;
        if run.value.is_some() {
            if self.session.scope.is_empty() {
                tracing::warn!(run = self.key, "this run is finished: its recorded result is given again");
            }
            live.start.replay(&self.key);
            return Ok(());
        }
        let outline = Outline::of(self.meta);
        if let Some(inner) = run.vanished_run(&outline) {
            let (run, inner) = (self.key.clone(), inner.to_owned());
            return Err(Kind::RunVanished { run, inner, at: self.at }.into());
        }
        if let Some(key) = run.vanished(&outline) {
            let (run, key) = (self.key.clone(), key.to_owned());
            return Err(Kind::StepVanished { run, key, at: self.at }.into());
        }
        let inputs = self.inputs.defaults(run).map_err(|unfit| self.unfit(unfit))?;
        if *run.outline != outline || !inputs.is_empty() {
            for (input, value) in &inputs {
                tracing::warn!(
                    run = self.key,
                    input,
                    value = value.get(),
                    "this run was begun without the input: its default is recorded"
                );
            }
            live.push(now, Code { run: self.key.clone(), inputs, outline: Arc::new(outline) });
        }
        Ok(())
    }

    fn begin(&self, live: &mut Live, now: crate::core::time::Timestamp) -> Result<(), Error> {
        let (workflow, at) = (self.meta.name.to_owned(), self.at);
        if self.session.scope.is_empty()
            && let Some((unfinished, workflow)) = self.unfinished(live)
        {
            return Err(Kind::UnfinishedRun { run: self.key.clone(), at, unfinished, workflow }.into());
        }
        // Inside another run there is one: that run's.
        if self.session.scope.is_empty() && self.goal.is_none() && live.state.goal.is_none() {
            return Err(Kind::NoGoal { workflow, at }.into());
        }
        let inputs = self.inputs.recorded(&self.session.shared).map_err(|unfit| self.unfit(unfit))?;
        let (run, goal, title) = (self.key.clone(), self.goal.clone(), self.name.and_then(|name| name.title.clone()));
        let shape = self.name.map_or(self.meta.shape, |name| &name.plan.shape).to_owned();
        let (named, outline) = (self.name.is_some(), Arc::new(Outline::of(self.meta)));
        live.push(now, record::Run { run, workflow, shape, named, title, goal, inputs, outline });
        Ok(())
    }

    fn unfit(&self, (input, error): (&str, String)) -> Error {
        let workflow = self.meta.name.to_owned();
        Kind::InputNotStorable { workflow, input: input.to_owned(), at: self.at, error }.into()
    }

    /// A root run of another workflow that nobody has entered in this start, and that is not finished.
    fn unfinished(&self, live: &Live) -> Option<(String, String)> {
        let forgotten = |key: &str| !key.contains(key::SCOPE) && !live.start.reached(key);
        let mut runs = live.state.runs.iter();
        let (key, run) =
            runs.find(|(key, run)| run.value.is_none() && run.workflow != self.meta.name && forgotten(key))?;
        Some((key.clone(), run.workflow.clone()))
    }
}

fn full_key(session: &Session, pieces: &[&str], holes: &[Hole<'_>]) -> Result<String, KeyProblem> {
    let part = key::fill(pieces, holes)?;
    key::check_part(&part)?;
    let full = key::scoped(&session.scope, &part);
    key::check(&full)?;
    Ok(full)
}
