//! A call of another workflow whose run is named at the call, with `#[run]`.

use std::fmt::Display;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Run;
use super::former::Gone;
use super::panic;
use super::plan::Plan;
use super::run::Reached;
use super::surroundings::{self, Around};
use crate::core::meta::WorkflowMeta;
use crate::core::record::Refused;
use crate::core::start::{Cause, Place, Stop};
use crate::core::text::Text;
use crate::error::{Error, Kind};

/// The name that a call gives to the one run that it enters.
#[derive(Debug)]
pub(super) struct Name {
    /// Full key of the run.
    key: String,
    pub(super) plan: Plan,
    pub(super) title: Option<String>,
    is_taken: AtomicBool,
    /// Whether the run may stop without stopping the one that calls.
    pub(super) is_later: bool,
}

impl Name {
    /// The full key for the first run that asks; a second one is refused.
    pub(super) fn take(&self, meta: &WorkflowMeta) -> Result<String, Error> {
        if !self.is_taken.swap(true, Ordering::Relaxed) {
            return Ok(self.key.clone());
        }
        let second = Place { file: meta.file, line: meta.line };
        let (run, workflow) = (self.key.clone(), meta.name.to_owned());
        Err(Kind::NamedTwice { run, at: self.place(), workflow, second }.into())
    }

    pub(super) fn place(&self) -> Place {
        self.plan.place
    }
}

impl Run {
    /// Polls a call of another workflow. The first run that it enters has this key.
    ///
    /// # Errors
    ///
    /// Fails if the key is none, and if the call enters no run.
    pub async fn call<V, F: Future<Output = V>>(
        &self,
        key: &Reached,
        title: Option<Text>,
        call: Pin<&mut F>,
    ) -> Result<V, Error> {
        self.enter_named(key, title, call, |_| false, false).await
    }

    /// The same for a call that can fail before it enters its run.
    ///
    /// # Errors
    ///
    /// See [`call`](Self::call); a call that has failed need not have entered a run.
    pub async fn try_call<V: Fallible, F: Future<Output = V>>(
        &self,
        key: &Reached,
        title: Option<Text>,
        call: Pin<&mut F>,
    ) -> Result<V::Same, Error> {
        self.enter_named(key, title, call, V::has_failed, false).await.map(V::same)
    }

    /// The same for a call whose errors are for later: one that has failed, or stopped, gives nothing, and lets this run go
    /// on with further such calls. This run does not finish in this start.
    ///
    /// # Errors
    ///
    /// See [`call`](Self::call), and if this run has stopped.
    pub async fn call_later<T, E: Display, F: Future<Output = Result<T, E>>>(
        &self,
        key: &Reached,
        title: Option<Text>,
        call: Pin<&mut F>,
    ) -> Result<Option<T>, Error> {
        let mut later = Later::begin(self, key);
        let error = match self.enter_named(key, title, call, Result::is_err, true).await {
            Ok(Ok(value)) => {
                later.has_ended = true;
                return Ok(Some(value));
            }
            Ok(Err(error)) => panic::told(&error),
            Err(refused) => {
                later.has_ended = true;
                return Err(refused);
            }
        };
        later.has_ended = true;
        later.failed(error).map(|()| None)
    }

    async fn enter_named<V, F: Future<Output = V>>(
        &self,
        key: &Reached,
        title: Option<Text>,
        call: Pin<&mut F>,
        has_failed: fn(&V) -> bool,
        is_later: bool,
    ) -> Result<V, Error> {
        let (plan, full, at) = (key.plan.clone(), key.to_string(), key.plan.place);
        let title = self.session().worded(title);
        let name = Name { key: full.clone(), plan, title, is_taken: false.into(), is_later };
        let name = Arc::new(name);
        if let Some(problem) = key.problem.clone() {
            let error = Kind::BadKey { template: key.plan.template.to_string(), at, problem };
            return Err(self.refuse_call(full, at, error.into()).await);
        }
        if let Some(Gone { former, run, shape }) = key.gone.clone() {
            let error = Kind::FormerGone { key: full.clone(), at, former, run, shape };
            return Err(self.refuse_call(full, at, error.into()).await);
        }
        let around = Around::call(self.session(), Arc::clone(&name));
        let value = surroundings::within(&around, call).await;
        if name.is_taken.load(Ordering::Relaxed) || has_failed(&value) {
            return Ok(value);
        }
        Err(self.refuse_call(full.clone(), at, Kind::NotEntered { run: full, at }.into()).await)
    }

    /// Records why the call counts for nothing, and stops this run.
    async fn refuse_call(&self, run: String, at: Place, error: Error) -> Error {
        let (why, cause) = (error.to_string(), error.cause());
        let stop = Stop { key: run.clone(), place: Some(at), why: why.clone(), cause, way: None };
        self.session().shared.live().start.stop(self.key_str(), &stop);
        self.session().tell(Refused { run, key: None, error: why, origin: None }).await.err().unwrap_or(error)
    }
}

/// A call whose errors are for later, while it runs. One that is dropped is for later too.
struct Later<'a> {
    around: &'a Run,
    key: String,
    place: Place,
    has_ended: bool,
}

impl<'a> Later<'a> {
    fn begin(around: &'a Run, key: &Reached) -> Self {
        let (key, place) = (key.to_string(), key.plan.place);
        around.session().shared.live().start.begin_later(&key);
        Self { around, key, place, has_ended: false }
    }

    /// The run has failed, or stopped: the one around it goes on, if it has not stopped itself.
    fn failed(&self, why: String) -> Result<(), Error> {
        let session = self.around.session();
        let mut live = session.shared.live();
        session.admits(&live, &self.key)?;
        // What was given up, and is in no doubt, is not for later. If it was this run, that comes to no result either.
        if live.start.stop_of(&self.key).is_some_and(|stop| stop.cause == Cause::Cancelled) {
            live.start.forgive(&self.key);
            return Ok(());
        }
        // It is the step that is told, and not what its run made of it, unless that fails with an error of its own.
        let is_told = |stop: &&Stop| stop.cause != Cause::Error || (stop.place.is_some() && why.contains(&stop.why));
        let told = live.start.stop_of(&self.key).filter(is_told).cloned();
        let stop = told.unwrap_or_else(|| self.stop(why, Cause::Error));
        live.start.postpone(self.around.key_str(), stop);
        Ok(())
    }

    fn stop(&self, why: String, cause: Cause) -> Stop {
        Stop { key: self.key.clone(), place: Some(self.place), why, cause, way: None }
    }
}

impl Drop for Later<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            let stop = self.stop("its call was dropped before it ended".to_owned(), Cause::Error);
            self.around.session().shared.live().start.postpone(self.around.key_str(), stop);
        }
    }
}

/// A value that a `?` may stand behind.
#[diagnostic::on_unimplemented(
    message = "`#[run]` stands before a call of a workflow, which gives a `Result`, and this gives `{Self}`",
    label = "this is no workflow",
    note = "put `#[durable_workflow]` on the function that is called, or call it without `#[run]`"
)]
pub trait Fallible {
    /// Itself. What is no such value has none, so that the `?` is not wrong as well.
    type Same;

    /// The value.
    fn same(self) -> Self::Same;

    /// Whether the `?` would leave.
    fn has_failed(&self) -> bool;
}

#[diagnostic::do_not_recommend]
impl<T, E> Fallible for Result<T, E> {
    type Same = Self;

    fn same(self) -> Self {
        self
    }

    fn has_failed(&self) -> bool {
        self.is_err()
    }
}

#[diagnostic::do_not_recommend]
impl<T> Fallible for Option<T> {
    type Same = Self;

    fn same(self) -> Self {
        self
    }

    fn has_failed(&self) -> bool {
        self.is_none()
    }
}

#[diagnostic::do_not_recommend]
impl<B, C> Fallible for ControlFlow<B, C> {
    type Same = Self;

    fn same(self) -> Self {
        self
    }

    fn has_failed(&self) -> bool {
        self.is_break()
    }
}
