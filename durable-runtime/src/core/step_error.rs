//! The error of a step, as a value.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::failure::FailureKind;
use super::record::{ErrorResult, Failed};

/// The error of a step with `errors = "recorded"`: the same on the first run and on every replay.
///
/// It exists only where nothing can have happened: for a `#[side_effect]` once `verify` has proven absence, for a
/// `#[read]` at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepError {
    message: String,
    failure: FailureKind,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    payload: Option<String>,
}

impl StepError {
    #[cfg(test)]
    pub(crate) fn rejected(message: String) -> Self {
        Self { message, failure: FailureKind::Rejected, code: None, payload: None }
    }

    /// The error of an attempt as the result of its step, which it is once absence is proven; and that counts as a
    /// rejection.
    pub(crate) fn of(failed: &Failed, result: &ErrorResult) -> Self {
        let failure = match failed.failure {
            FailureKind::Retry => FailureKind::Retry,
            FailureKind::Rejected | FailureKind::Unknown => FailureKind::Rejected,
        };
        Self { message: failed.error.clone(), failure, code: result.code.clone(), payload: failed.payload.clone() }
    }

    /// What the step's own error said, with its causes where its `{:#}` tells them.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the receiver refused ([`Rejected`](FailureKind::Rejected)), or the attempts were spent
    /// ([`Retry`](FailureKind::Retry)). An error of which it had to be proven that nothing happened counts as a refusal.
    pub fn failure(&self) -> FailureKind {
        self.failure
    }

    /// The receiver's own code for the error, where one is known.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// What the receiver said beside its code, where the classifier kept it: see
    /// [`Failure::with_payload`](crate::Failure::with_payload).
    pub fn payload(&self) -> Option<&str> {
        self.payload.as_deref()
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StepError {}
