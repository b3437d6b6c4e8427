//! A run that has been entered.

use std::fmt::Display;
use std::future::Future;

use serde::de::DeserializeOwned;

use super::commit::Commit;
use super::inputs::Given;
use super::slot::Slot;
use super::{Session, codec};
use crate::core::key::{self, Hole, StepKey};
use crate::core::meta::{StepMeta, WorkflowMeta};
use crate::core::record::{End, Stopped, Stored};
use crate::core::start::{Cause, Stop};
use crate::core::text::Text;
use crate::error::{Error, Kind, StopText};
use crate::private::bounds::{Recordable, Recorded, StepError, WorkflowResult};

/// A run of a workflow, as its body sees it.
#[derive(Debug)]
pub struct Run {
    session: Session,
    meta: &'static WorkflowMeta,
    finished: Option<Stored>,
}

/// A step that is reached: its key, and why it has none if it has none.
#[derive(Debug)]
pub struct Reached {
    pub(super) key: StepKey,
    pub(super) meta: &'static StepMeta,
    pub(super) problem: Option<key::KeyProblem>,
}

impl std::ops::Deref for Reached {
    type Target = StepKey;

    fn deref(&self) -> &StepKey {
        &self.key
    }
}

impl Run {
    pub(super) fn new(session: Session, meta: &'static WorkflowMeta, finished: Option<Stored>) -> Self {
        Self { session, meta, finished }
    }

    /// The session as the body sees it: what is entered through it belongs to this run.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Full key of the run.
    pub fn key_str(&self) -> &str {
        &self.session.scope
    }

    /// The recorded value of an input.
    ///
    /// # Errors
    ///
    /// Fails if it no longer reads as its type.
    pub fn input<T: Recorded + ?Sized>(&self, given: &Given<T>) -> Result<T::Owned, Error> {
        let run = self.key_str();
        let recorded = self.session.shared.live().state.runs.get(run).and_then(|run| run.inputs.get(given.name).cloned());
        let missing = || "it was not recorded".to_owned();
        let decoded = recorded.ok_or_else(missing).and_then(|stored| codec::decode(&stored));
        decoded.map_err(|error| {
            let ty = std::any::type_name::<T::Owned>();
            Kind::InputUndecodable { run: run.to_owned(), input: given.name.to_owned(), ty, error }.into()
        })
    }

    /// The key of a step. One that cannot be is refused by [`begin`](Self::begin), before anything happens.
    pub fn key(&self, meta: &'static StepMeta, pieces: &[&str], holes: &[Hole<'_>]) -> Reached {
        let filled = key::fill(pieces, holes).and_then(|part| {
            key::check_part(&part)?;
            let full = key::scoped(self.key_str(), &part);
            key::check(&full).map(|()| full)
        });
        let (full, problem) = match filled {
            Ok(full) => (full, None),
            Err(problem) => (meta.key.to_owned(), Some(problem)),
        };
        Reached { key: StepKey::new(self.session.id(), full), meta, problem }
    }

    /// Begins a step: replays it, asks for a proof, or reserves an attempt.
    pub async fn begin<T: Recordable, E: StepError>(&self, key: &Reached, title: Option<Text>) -> Slot<T, E> {
        Slot::begin(&self.session, key, title).await
    }

    /// Ends the run with what its body returned.
    async fn end<T: Recordable>(&self, value: T) -> Result<T, Error> {
        let run = self.key_str();
        let ty = std::any::type_name::<T>();
        let stored = codec::encode(&value).and_then(|stored| codec::decode::<T>(&stored).map(|value| (stored, value)));
        {
            let now = self.session.shared.clock.now();
            let mut live = self.session.shared.live();
            self.may_end(&live)?;
            let (stored, _) =
                stored.as_ref().map_err(|error| Kind::ResultNotStorable { run: run.to_owned(), ty, error: error.clone() })?;
            live.push(now, End { run: run.to_owned(), value: stored.clone() });
        }
        self.session.commit(Commit::Told).await.map_err(|source| self.session.not_written(source))?;
        tracing::info!(run, "run finished");
        match stored {
            Ok((_, value)) => Ok(value),
            Err(error) => Err(Kind::ResultNotStorable { run: run.to_owned(), ty, error }.into()),
        }
    }

    fn may_end(&self, live: &super::live::Live) -> Result<(), Error> {
        let run = self.key_str();
        if let Some(stop) = live.start.stop_of(run) {
            let (here, stop) = (run.to_owned(), StopText(stop.clone()));
            return Err(Kind::Stopped { here, run: run.to_owned(), stop }.into());
        }
        match live.state.has_doubt(run) {
            Some(key) => Err(Kind::OpenDoubt { run: run.to_owned(), key: key.to_owned() }.into()),
            None => Ok(()),
        }
    }

    /// Stops the run, and those around it, with the error that left its body.
    async fn stop(&self, error: &impl Display) {
        let run = self.key_str().to_owned();
        let error = error.to_string();
        {
            let mut live = self.session.shared.live();
            if live.start.stop_of(&run).is_none() {
                let place = None;
                live.start.stop(&run, &Stop { key: run.clone(), place, why: error.clone(), cause: Cause::Error });
            }
        }
        tracing::warn!(run, %error, "run stopped until the next start");
        // The error that stopped the run is the one to tell; a log that cannot be written says so at the next step.
        if let Err(unwritten) = self.session.tell(Stopped { run, key: None, error }).await {
            tracing::error!(%unwritten, "the stop could not be recorded");
        }
    }
}

/// Polls the body of a run that is not finished, and records how it ended. A finished run gives its recorded result.
pub(crate) async fn drive<R: WorkflowResult>(run: &Run, body: impl Future<Output = R>) -> R {
    use tracing::Instrument;
    if let Some(value) = &run.finished {
        return R::from_result(recorded(run, value).map_err(Into::into));
    }
    let span = tracing::info_span!("run", key = run.key_str(), workflow = run.meta.name);
    let result = match body.instrument(span).await.into_result() {
        Ok(value) => run.end(value).await.map_err(R::Err::from),
        Err(error) => Err(error),
    };
    if let Err(error) = &result {
        run.stop(error).await;
    }
    R::from_result(result)
}

fn recorded<T: DeserializeOwned>(run: &Run, value: &Stored) -> Result<T, Error> {
    let ty = std::any::type_name::<T>();
    codec::decode(value).map_err(|error| Kind::Undecodable { key: run.key_str().to_owned(), ty, error }.into())
}
