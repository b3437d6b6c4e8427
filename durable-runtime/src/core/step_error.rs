//! The error of a step, as a value.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::record::Failure;

/// The error of a step with `errors = "recorded"`: the same on the first run and on every replay.
///
/// It exists only where nothing can have happened: for a `#[side_effect]` once `verify` has proven absence, for a
/// `#[read]` at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepError {
    message: String,
    failure: Failure,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    code: Option<String>,
}

impl StepError {
    pub(crate) fn rejected(message: String) -> Self {
        Self { message, failure: Failure::Rejected, code: None }
    }

    pub(crate) fn with_code(self, code: &Option<String>) -> Self {
        Self { code: code.clone(), ..self }
    }

    /// What the step's own error said, with its causes where its `{:#}` tells them.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What the error proves about the effect.
    pub fn failure(&self) -> Failure {
        self.failure
    }

    /// The receiver's own code for the error, where one is known.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StepError {}
