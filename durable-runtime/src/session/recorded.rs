//! A step whose errors are values: `errors = "recorded"`. An error becomes the step's result only once it is proven that
//! nothing happened; until then it is a doubt like any other.

use super::commit::Commit;
use super::slot::{Phase, Slot};
use crate::core::meta::StepKind;
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
            Phase::Closed(Ok(Err(error))) => Err(self.doubted(0, &(self.show)(&error))),
            Phase::Closed(Err(error)) => Err(error),
            phase => Err(self.left(&phase)),
        }
    }

    /// The error that is the step's result by now, if there is one.
    pub(super) fn recorded_error(&self) -> Option<StepError> {
        match &self.session.shared.live().state.steps.get(self.key.as_str())?.life {
            Life::Failed(error) => Some((**error).clone()),
            _ => None,
        }
    }

    /// Ends the step with the error that its last record made its result.
    pub(super) async fn conclude_recorded(&mut self) {
        match self.recorded_error() {
            Some(error) => self.conclude(error).await,
            None => self.refuse(self.doubted(self.attempt(), "its error was not recorded as its result")).await,
        }
    }

    /// Ends the step with the error that is its result.
    pub(super) async fn conclude(&mut self, error: StepError) {
        if !self.plan.records_errors {
            let (key, at) = (self.key.to_string(), self.plan.place);
            return self.refuse(Kind::ErrorRecorded { key, at, error: error.to_string() }.into()).await;
        }
        self.phase = Phase::Failed(error);
        // The error of a read can be had again, like its value.
        let promise = if self.plan.kind == StepKind::SideEffect { Commit::Told } else { Commit::Written };
        if let Err(source) = self.session.commit(promise).await {
            self.not_recorded(source);
        }
    }

    /// Why the absence of an effect does not say that the step had no result: another than an error that is gone would
    /// lead to other effects, beside those that are done.
    pub(super) fn error_may_be_gone(&self) -> Option<String> {
        let live = self.session.shared.live();
        let doubt = live.state.steps.get(self.key.as_str()).and_then(|step| step.life.doubt());
        let is_known = doubt.is_some_and(|doubt| doubt.error.is_some());
        let may_be = self.plan.records_errors && !is_known && live.state.gone(&self.session.scope).is_lossy;
        may_be.then(|| ERROR_MAY_BE_GONE.to_owned())
    }
}
