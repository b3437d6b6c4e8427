//! A run that has been entered.

mod cancelled;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;

use uuid::Uuid;

use super::Session;
use super::codec::{self, Codec};
use super::commit::Commit;
use super::former::{Former, Gone, Otherwise, former_key};
use super::inputs::Given;
use super::live::Live;
use super::panic;
use super::plan::Plan;
use super::returns::{Ended, Returns};
use super::slot::Slot;
use super::surroundings::{self, Around};
use crate::core::evolution::{self, Evolution};
use crate::core::key::{self, Hole, StepKey};
use crate::core::meta::{StepKind, StepMeta, WorkflowMeta};
use crate::core::record::{End, Kept, Stopped, Stored};
use crate::core::start::{Cause, Place, Stop};
use crate::core::state::Step;
use crate::core::text::Text;
use crate::error::{Error, Kind, StopText};
use crate::private::bounds::Comparable;
use crate::private::threads::OneThread;

/// A run of a workflow, as its body sees it.
#[derive(Debug)]
pub struct Run {
    session: Session,
    meta: &'static WorkflowMeta,
    finished: Option<Kept>,
    /// The inputs that are kept apart from the log.
    fetched: BTreeMap<String, Stored>,
    /// Whether it had been given up when it was entered: its body knows from its first line on.
    was_given_up: bool,
}

/// A step that is reached: its key, and why it has none if it has none.
#[derive(Debug)]
pub struct Reached {
    pub(super) key: StepKey,
    pub(super) plan: Plan,
    pub(super) problem: Option<key::KeyProblem>,
    pub(super) args: Option<Result<Uuid, String>>,
    /// What it was formerly, where that cannot be gone on with.
    pub(super) gone: Option<Gone>,
    /// What is recorded under its former template, where that is written otherwise.
    pub(super) otherwise: Option<Otherwise>,
}

impl Reached {
    /// Notes what the step is given: the same key with other arguments is refused. Only a digest of them is kept.
    #[must_use]
    pub fn args<A: Comparable<X> + ?Sized, X>(self, args: &A) -> Self {
        self.given(codec::canonical(args))
    }

    /// The same for arguments that are written already.
    pub(super) fn given(self, json: Result<String, String>) -> Self {
        let digest = json.map(|json| Uuid::new_v5(&self.key.token(), json.as_bytes()));
        Self { args: Some(digest), ..self }
    }
}

impl std::ops::Deref for Reached {
    type Target = StepKey;

    fn deref(&self) -> &StepKey {
        &self.key
    }
}

impl Run {
    pub(super) fn new(
        session: Session,
        meta: &'static WorkflowMeta,
        finished: Option<Kept>,
        fetched: BTreeMap<String, Stored>,
        was_given_up: bool,
    ) -> Self {
        Self { session, meta, finished, fetched, was_given_up }
    }

    /// The session as the body sees it: what is entered through it belongs to this run.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Full key of the run.
    pub fn key_str(&self) -> &str {
        &self.session.scope
    }

    pub(super) fn allows_secrets(&self) -> bool {
        self.meta.allows_secrets
    }

    /// The recorded value of an input.
    ///
    /// # Errors
    ///
    /// Fails if the run has none, or if it no longer reads as its type.
    pub fn input<O, L>(&self, given: &Given<O, L>) -> Result<O, Error> {
        let run = self.key_str();
        let input = || given.name.to_owned();
        let recorded = || self.session.shared.live().state.runs.get(run).and_then(|run| run.input(given.name).cloned());
        let recorded = self.fetched.get(given.name).cloned().or_else(recorded);
        let Some(recorded) = recorded else {
            return Err(Kind::InputMissing { run: run.to_owned(), input: input() }.into());
        };
        (given.decode)(&recorded).map_err(|error| {
            let ty = std::any::type_name::<O>();
            Kind::InputUndecodable { run: run.to_owned(), input: input(), ty, error }.into()
        })
    }

    /// The key of a step. One that cannot be is refused by [`begin`](Self::begin), before anything happens.
    pub fn key(&self, meta: &'static StepMeta, pieces: &[&str], holes: &[Hole<'_>]) -> Reached {
        let filled = key::fill(pieces, holes).and_then(|part| {
            key::check_part(&part)?;
            let full = key::scoped(self.key_str(), &part);
            key::check(&full).map(|()| full)
        });
        let filled = filled.and_then(|full| self.session.fit_to_be_told(full, meta.allows_secrets));
        let (full, problem) = match filled {
            Ok(full) => (full, None),
            Err(problem) => (meta.key.to_owned(), Some(problem)),
        };
        Reached {
            key: StepKey::new(self.session.id(), full),
            plan: meta.into(),
            problem,
            args: None,
            gone: None,
            otherwise: None,
        }
    }

    /// The key of a step that had others before: the one that it is recorded under, if it is. Its record, its token and
    /// the count of its attempts belong to that.
    pub fn key_formerly(
        &self,
        meta: &'static StepMeta,
        pieces: &[&str],
        holes: &[Hole<'_>],
        former: &[Former<'_>],
    ) -> Reached {
        let reached = self.key(meta, pieces, holes);
        if reached.problem.is_some() {
            return reached;
        }
        let live = self.session.shared.live();
        let (state, start) = (&live.state, &live.start);
        // One run of a list that has names now may have been the only one, without a name: that goes to the first to ask.
        let is_taken = |(pieces, _): Former<'_>, key: &str| {
            reached.plan.kind == StepKind::Run && pieces.len() < holes.len() + 1 && start.reached(key)
        };
        let template = |index: usize| meta.formerly_as.get(index).or_else(|| meta.formerly.get(index)).copied();
        let former: Vec<_> = former
            .iter()
            .enumerate()
            .filter_map(|(index, former)| Some((former_key(self.key_str(), *former)?, *former, template(index)?)))
            .filter(|(key, former, _)| !is_taken(*former, key))
            .map(|(key, _, template)| (key, template))
            .collect();
        let otherwise = former.iter().find_map(|(former, template)| Otherwise::of(state, former, template));
        let former: Vec<_> = former.into_iter().map(|(key, _)| key).collect();
        let is_recorded = |key: &str| state.steps.contains_key(key) || state.runs.contains_key(key);
        let gone = former.iter().find_map(|former| Gone::of(state, former));
        let full = evolution::recorded_as(reached.key.as_str().to_owned(), former, is_recorded);
        let (gone, otherwise) = match is_recorded(&full) {
            true => (None, None),
            false => (gone, otherwise),
        };
        Reached { gone, otherwise, key: StepKey::new(state.session, full), ..reached }
    }

    /// Begins a step: replays it, asks for a proof, or reserves an attempt. Its value is recorded by `codec`, and its
    /// error in the words of `show`: no bound stands here, since the compiler would say it once more at the `await`.
    pub async fn begin<T, E>(
        &self,
        key: &Reached,
        title: Option<Text>,
        codec: fn(OneThread, PhantomData<E>) -> Codec<T>,
        show: fn(&E) -> String,
    ) -> Slot<T, E> {
        Slot::begin(&self.session, key, title, codec(OneThread, PhantomData), show).await
    }

    /// Ends the run with what its body returned, and gives it as it was stored.
    async fn end<R>(&self, returns: Returns<R>, stored: Result<Stored, String>) -> Result<R, Error> {
        let run = self.key_str();
        let shared = &self.session.shared;
        let fitting = stored.and_then(|stored| shared.fitting(stored)).and_then(|stored| self.without_secrets(stored));
        let stored = match fitting.and_then(|stored| Ok(((returns.decode)(&stored)?, stored))) {
            Ok((result, stored)) => {
                let kept = shared.set_apart(stored).await.map_err(|source| self.session.not_written(source))?;
                Ok((kept, result))
            }
            Err(why) => Err(why),
        };
        let result = {
            let now = self.session.shared.clock.now();
            let mut live = self.session.shared.live();
            self.may_end(&live)?;
            let ty = returns.type_name;
            let (value, result) = stored.map_err(|error| Kind::ResultNotStorable { run: run.to_owned(), ty, error })?;
            live.push(now, End { run: run.to_owned(), value });
            self.note_cancelled(&mut live);
            result
        };
        self.session.commit(Commit::Told).await.map_err(|source| self.session.not_written(source))?;
        tracing::info!(run, "run finished");
        self.session.trim_if_due().await;
        Ok(result)
    }

    /// What a finished run gave.
    async fn recorded<R>(&self, returns: Returns<R>, value: &Kept) -> R {
        self.note_cancelled(&mut self.session.shared.live());
        let (key, ty) = (self.key_str().to_owned(), returns.type_name);
        let refusal = match self.session.shared.recall(value).await {
            Err(source) => Kind::Unfetched { key, source },
            Ok(stored) => match (returns.decode)(&stored) {
                Ok(result) => return result,
                Err(error) => Kind::Undecodable { key, ty, error },
            },
        };
        let error = Error::from(refusal);
        self.stop(error.to_string(), error.cause()).await;
        returns.fail(error)
    }

    fn place(&self) -> Place {
        Place { file: self.meta.file, line: self.meta.line }
    }

    fn may_end(&self, live: &Live) -> Result<(), Error> {
        let run = self.key_str();
        if let Some(stop) = live.start.stop_of(run) {
            if let Some(needs) = self.needs_cancelled(live, stop) {
                return Err(needs.into());
            }
            let (here, stop) = (run.to_owned(), StopText(stop.clone()));
            return Err(Kind::Stopped { here, run: run.to_owned(), stop }.into());
        }
        if let Some(stop) = live.start.postponed(run) {
            return Err(Kind::Incomplete { run: run.to_owned(), stop: StopText(stop.clone()) }.into());
        }
        let code = Evolution::new(&live.state, run, self.meta);
        if live.state.cancelled(run).is_some() {
            return self.may_end_cancelled(live);
        }
        // Of a retired step that happened nobody needs the value.
        let is_open = |(key, step): &(&str, &Step)| !(step.life.has_happened() && code.retires(key));
        if let Some((key, _)) = live.state.doubts(run).find(is_open) {
            return Err(Kind::OpenDoubt { run: run.to_owned(), key: key.to_owned() }.into());
        }
        if let Some((_, known)) = live.start.missed(run).filter(|(outer, _)| *outer == run) {
            return Err(live.uncalled(run, self.place(), run, known).into());
        }
        let is_open = |inner: &&str| {
            !code.leaves(inner)
                && live.state.cancelled(inner).is_none()
                && (live.start.reached(inner) || live.state.has_begun(inner))
        };
        if let Some(inner) = live.state.unfinished_in(run).find(is_open) {
            let shape = live.state.runs.get(inner).map(|inner| inner.shape.clone()).unwrap_or_default();
            return Err(Kind::OpenRun { run: run.to_owned(), inner: inner.to_owned(), shape }.into());
        }
        self.unreached(live).or_else(|| self.unreached_runs(live)).map_or(Ok(()), |unreached| Err(unreached.into()))
    }

    /// The same for the runs that this one has entered: what they did has happened, under names that came from elsewhere.
    fn unreached_runs(&self, live: &Live) -> Option<Kind> {
        let run = self.key_str();
        let code = Evolution::new(&live.state, run, self.meta);
        let mut missed = live.state.runs_in(run).filter(|(key, inner)| {
            !live.start.reached(key)
                && (inner.recorded > 0 || inner.value.is_some())
                && inner.cancelled.is_none()
                && !code.leaves(key)
        });
        let first = missed.next()?;
        let missed: Vec<_> = std::iter::once(first).chain(missed).collect();
        let keys = format!("the run {}", listed(missed.iter().map(|(key, _)| key)));
        let way = code.way_to(&missed[0].1.shape, true);
        let shapes = missed.iter().map(|(_, inner)| inner.shape.clone()).collect();
        Some(Kind::StepUnreached { run: run.to_owned(), keys, instead: String::new(), way, shapes })
    }

    /// Recorded steps that this start has not reached: its keys came from something that was not recorded.
    fn unreached(&self, live: &Live) -> Option<Kind> {
        let run = self.key_str();
        let recorded = live.state.runs.get(run).map_or(0, |run| run.recorded);
        if recorded <= live.start.steps_reached(run) {
            return None;
        }
        let code = Evolution::new(&live.state, run, self.meta);
        let of_run = || live.state.steps.of_run(run).map(|(own, step)| (key::scoped(run, own), step));
        let is_missed =
            |key: &str, step: &Step| !live.start.reached(key) && !step.life.is_absent() && !code.retires(key);
        let missed: Vec<_> = of_run().filter(|(key, step)| is_missed(key, step)).collect();
        if missed.is_empty() {
            return None;
        }
        let is_new =
            |step: &Step| live.start.opened(step.opened) && missed.iter().any(|(_, old)| old.shape == step.shape);
        let instead = of_run().filter(|(key, step)| live.start.reached(key) && is_new(step));
        let (keys, instead) = (listed(missed.iter().map(|(key, _)| key)), listed(instead.map(|(key, _)| key)));
        let instead = if instead.is_empty() { instead } else { format!(", and reached {instead} instead") };
        let way = code.way_to(&missed[0].1.shape, false);
        let shapes = missed.iter().map(|(_, step)| step.shape.to_string()).collect();
        Some(Kind::StepUnreached { run: run.to_owned(), keys, instead, way, shapes })
    }

    /// The error of a body that has panicked. Where it left a step in a doubt that only a person can end, that is told.
    fn panicked(&self, why: String) -> Error {
        let run = self.key_str().to_owned();
        match self.session.shared.live().start.stop_of(&run).filter(|stop| stop.cause == Cause::Doubt) {
            Some(stop) => Kind::Stopped { here: run.clone(), run, stop: StopText(stop.clone()) }.into(),
            None => Kind::Panicked { run, why }.into(),
        }
    }

    /// The body has failed. That is how one ends that was given up, if everything that cleans up was reached.
    async fn failed(&self, error: String) {
        let (error, cause) = self.judged(&self.session.shared.live(), error);
        self.stop(error, cause).await;
    }

    /// Stops the run, and those around it, with the error that left its body.
    async fn stop(&self, error: String, cause: Cause) {
        self.stop_without(BTreeSet::new(), error, cause).await;
    }

    /// The same at its end, without having reached steps or runs of these shapes.
    async fn stop_without(&self, missed: BTreeSet<String>, error: String, cause: Cause) {
        let stopped = self.stopped(&mut self.session.shared.live(), error, cause);
        let stopped = Stopped { missed: missed.into_iter().collect(), ..stopped };
        let told = self.session.shared.secrets.redact(&stopped.error);
        tracing::warn!(run = stopped.run, error = &*told, "run stopped until the next start");
        // The error that stopped the run is the one to tell; a log that cannot be written says so at the next step.
        if let Err(unwritten) = self.session.tell(stopped).await {
            tracing::error!(%unwritten, "the stop could not be recorded");
        }
    }

    /// Notes that the run has stopped; the record of it.
    fn stopped(&self, live: &mut Live, error: String, cause: Cause) -> Stopped {
        let run = self.key_str().to_owned();
        // Nothing went wrong where all that is left is to clean up.
        let owes = live.start.stop_of(&run).is_none() && cause == Cause::Error && self.owes_cleanup(live);
        if live.start.stop_of(&run).is_none() {
            let stop = Stop { key: run.clone(), place: None, why: error.clone(), cause, way: None };
            match live.state.cancelled(&run) {
                Some((cancelled, _)) if cause == Cause::Cancelled => live.start.stop_given_up(&run, cancelled, &stop),
                _ => live.start.stop(&run, &stop),
            }
        }
        let stop = live.start.stop_of(&run);
        let cancelled = stop.is_some_and(|stop| stop.cause == Cause::Cancelled) && live.state.cancelled(&run).is_some();
        // A body may drop the error of its step, and fail with another.
        let told = stop.filter(|stop| error.contains(&stop.why));
        let key = told.map(|stop| stop.key.clone()).filter(|key| live.state.steps.contains_key(key));
        let is_clean_up = stop.is_some_and(|stop| live.is_to_clean_up(&run, stop, &error));
        let waits = owes || is_clean_up || told.is_some_and(|stop| stop.cause == Cause::Waiting);
        let origin = live.origin(&run, &error);
        Stopped { run, key, error, waits, cancelled, missed: Vec::new(), origin }
    }
}

/// The first of these keys in order, as an error names them.
pub(super) fn listed(keys: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut keys: Vec<_> = keys.map(|key| format!("`{}`", key.as_ref())).collect();
    keys.sort_unstable();
    keys.truncate(evolution::NAMED);
    keys.join(", ")
}

/// The time in which the body of a run is running. A body that is dropped before it has ended stops its run.
struct Drive<'a> {
    run: &'a Run,
    has_ended: bool,
}

impl<'a> Drive<'a> {
    fn of(run: &'a Run) -> Self {
        run.session.shared.live().start.drive(run.key_str());
        Self { run, has_ended: false }
    }
}

impl Drop for Drive<'_> {
    fn drop(&mut self) {
        let key = self.run.key_str();
        let mut live = self.run.session.shared.live();
        live.start.end_of_drive(key);
        if !self.has_ended {
            let why = "its workflow was dropped before it ended".to_owned();
            live.start.stop(key, &Stop { key: key.to_owned(), place: None, why, cause: Cause::Error, way: None });
        }
    }
}

/// Polls the body of a run that is not finished, and records how it ended. A finished run gives its recorded result.
pub(crate) async fn drive<R, F: Future<Output = R>>(run: &Run, returns: Returns<R>, body: Pin<&mut F>) -> R {
    use tracing::Instrument;
    if let Some(value) = &run.finished {
        return run.recorded(returns, value).await;
    }
    let span = tracing::info_span!("run", key = run.key_str(), workflow = run.meta.name);
    let mut drive = Drive::of(run);
    let around = Around::body(&run.session);
    let result = panic::caught(surroundings::within(&around, body)).instrument(span).await;
    drive.has_ended = true;
    drop(drive);
    let result = match result {
        Ok(result) => result,
        Err(why) => {
            let error = run.panicked(why);
            run.stop(error.to_string(), error.cause()).await;
            return returns.fail(error);
        }
    };
    let ended = match (returns.ended)(result) {
        Ended::Value(stored) => run.end(returns, stored).await,
        Ended::Failed(result, text) => {
            run.failed(text).await;
            return result;
        }
    };
    match ended {
        Ok(result) => result,
        Err(error) => {
            run.stop_without(error.missed(), error.to_string(), error.cause()).await;
            returns.fail(error)
        }
    }
}
