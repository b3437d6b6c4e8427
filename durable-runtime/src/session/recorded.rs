//! A step whose errors are values: `errors = "recorded"`. An error becomes the step's result only once it is proven that
//! nothing happened; until then it is a doubt like any other.

use super::commit::Commit;
use super::slot::{Phase, Slot};
use crate::core::meta::{Proof, StepKind};
use crate::core::record::{ErrorResult, Failed, Failure};
use crate::core::start::Cause;
use crate::core::state::Life;
use crate::core::step_error::StepError;
use crate::error::{Error, Kind};

/// Why a person is asked though the verifier found nothing.
const ERROR_MAY_BE_GONE: &str = "it did not happen, says its verifier, but its error may stand in a part of the log that is gone, and the run may have gone on from there: answer that it did not happen, and it is tried anew";

impl<T, E> Slot<T, E> {
    /// What a step comes to whose errors are recorded.
    ///
    /// # Errors
    ///
    /// See [`close`](Self::close).
    pub fn close_recorded(mut self) -> Result<Result<T, StepError>, Error> {
        match std::mem::replace(&mut self.phase, Phase::Taken) {
            Phase::Failed(error) => Ok(Err(error)),
            Phase::Closed(Ok(Ok(value))) => Ok(Ok(value)),
            Phase::Closed(Ok(Err(error))) => Err(self.unproven(&(self.show)(&error))),
            Phase::Closed(Err(error)) => Err(error),
            phase => Err(self.left(&phase)),
        }
    }

    /// Records an error as what it is: the result, if nothing can have happened; else a doubt.
    pub(super) async fn failed_as_value(&mut self, error: E) {
        let (attempt, text) = (self.attempt(), (self.show)(&error));
        tracing::warn!(key = %self.key, error = text, "step failed");
        let promise = match (self.meta.kind, self.meta.proof) {
            (StepKind::SideEffect, Proof::Verify) => {
                self.session.shared.push(self.result_of(attempt, Failure::Unknown, text));
                self.phase = Phase::Doubt { attempt, raised_by: None };
                Commit::Told
            }
            (StepKind::SideEffect, Proof::Person) => {
                self.session.shared.push(self.failure(attempt, text.clone()));
                return self.ask(attempt, text).await;
            }
            (StepKind::SideEffect, _) => {
                self.session.shared.push(self.failure(attempt, text.clone()));
                self.stop(text.clone(), Cause::Error);
                self.phase = Phase::Closed(Err(self.unproven(&text)));
                Commit::Told
            }
            (StepKind::Read | StepKind::Run, _) => {
                self.session.shared.push(self.result_of(attempt, Failure::Rejected, text.clone()));
                self.phase = Phase::Failed(StepError::rejected(text));
                Commit::Written
            }
        };
        if let Err(source) = self.session.commit(promise).await {
            self.not_recorded(source);
        }
    }

    /// The error that is the step's result by now, if there is one.
    pub(super) fn recorded_error(&self) -> Option<StepError> {
        match &self.session.shared.live().state.steps.get(self.key.as_str())?.life {
            Life::Failed(error) => Some(error.clone()),
            _ => None,
        }
    }

    /// Ends the step with the error that is its result.
    pub(super) async fn conclude(&mut self, error: StepError) {
        if !self.meta.records_errors {
            let (key, at) = (self.key.to_string(), self.place());
            return self.refuse(Kind::ErrorRecorded { key, at, error: error.to_string() }.into()).await;
        }
        self.phase = Phase::Failed(error);
        if let Err(source) = self.session.commit(Commit::Told).await {
            self.not_recorded(source);
        }
    }

    /// Why the absence of an effect does not say that the step had no result: another than an error that is gone would
    /// lead to other effects, beside those that are done.
    pub(super) fn error_may_be_gone(&self) -> Option<String> {
        let live = self.session.shared.live();
        let doubt = live.state.steps.get(self.key.as_str()).and_then(|step| step.life.doubt());
        let is_known = doubt.is_some_and(|doubt| doubt.error.is_some());
        let may_be = self.meta.records_errors && !is_known && live.state.gone(&self.session.scope).is_lossy;
        may_be.then(|| ERROR_MAY_BE_GONE.to_owned())
    }

    fn result_of(&self, attempt: u32, failure: Failure, error: String) -> Failed {
        let result = ErrorResult { shape: self.meta.shape.to_owned(), title: self.title.clone(), code: None };
        Failed { failure, result: Some(result), ..self.failure(attempt, error) }
    }

    fn unproven(&self, why: &str) -> Error {
        Kind::Unproven { key: self.key.to_string(), at: self.place(), why: why.to_owned() }.into()
    }
}
