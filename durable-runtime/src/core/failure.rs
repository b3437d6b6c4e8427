//! What an error proves about the effect that gave it.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::secrets::redact;
use super::time::Timestamp;

/// What an error of a step says about its effect: what a `classify` function gives.
///
/// An error that nobody classifies is [`unknown`](Failure::unknown): it may have come after the effect, so the step is
/// verified, or a person is asked, before anything is done again.
///
/// # Examples
///
/// ```
/// use durable_runtime::Failure;
///
/// enum BankError { NoSuchAccount, Busy, Broken(String) }
///
/// fn classify(error: &BankError) -> Failure {
///     match error {
///         BankError::NoSuchAccount => Failure::rejected(),
///         BankError::Busy => Failure::retry(),
///         BankError::Broken(_) => Failure::unknown(),
///     }
/// }
/// # let _ = classify;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    kind: FailureKind,
    wait: Option<Wait>,
    code: Option<String>,
    payload: Option<String>,
}

/// The kinds of a [`Failure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// Nothing happened, and trying again is of no use.
    Rejected,
    /// Nothing happened, and another attempt may succeed.
    Retry,
    /// Nothing is proven.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    For(Duration),
    Until(SystemTime),
}

/// The most bytes that are kept of a payload.
const MOST_PAYLOAD: usize = 4096;

impl Failure {
    /// Nothing happened, and trying again in this start is of no use: the receiver refused what it was asked.
    pub fn rejected() -> Self {
        Self::of(FailureKind::Rejected)
    }

    /// Nothing happened, and another attempt may succeed: `retry(..)` of the step says how many there are.
    pub fn retry() -> Self {
        Self::of(FailureKind::Retry)
    }

    /// Nothing happened, and there is no use in another attempt before `wait` has passed. The instant is recorded: a
    /// restart waits for the same one.
    pub fn retry_after(wait: Duration) -> Self {
        Self::retry().not_before(wait)
    }

    /// It may have happened: the step is verified, repeated with the same token, or asked about, as its attribute says.
    pub fn unknown() -> Self {
        Self::of(FailureKind::Unknown)
    }

    /// No further attempt is made before `wait` has passed.
    #[must_use]
    pub fn not_before(self, wait: Duration) -> Self {
        Self { wait: Some(Wait::For(wait)), ..self }
    }

    /// No further attempt is made before the instant `at`.
    #[must_use]
    pub fn not_until(self, at: SystemTime) -> Self {
        Self { wait: Some(Wait::Until(at)), ..self }
    }

    /// The receiver's own code for the error, such as `402`. Recorded; see [`StepError::code`](crate::StepError::code).
    #[must_use]
    pub fn with_code(self, code: impl ToString) -> Self {
        Self { code: Some(code.to_string()), ..self }
    }

    /// What the receiver said beside its code, such as the body of its answer. Recorded, without what looks like a secret
    /// in it, and cut after 4 KiB; see [`StepError::payload`](crate::StepError::payload).
    #[must_use]
    pub fn with_payload(self, payload: impl AsRef<str>) -> Self {
        let mut payload = redact(payload.as_ref()).into_owned();
        payload.truncate(payload.floor_char_boundary(MOST_PAYLOAD));
        Self { payload: Some(payload), ..self }
    }

    /// What it proves.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    pub(crate) fn code(&self) -> Option<String> {
        self.code.clone()
    }

    pub(crate) fn payload(&self) -> Option<String> {
        self.payload.clone()
    }

    /// The instant before which no further attempt is made.
    pub(crate) fn until(&self, now: Timestamp) -> Option<Timestamp> {
        self.wait.map(|wait| match wait {
            Wait::For(wait) => now.after(wait),
            Wait::Until(at) => at.into(),
        })
    }

    fn of(kind: FailureKind) -> Self {
        Self { kind, wait: None, code: None, payload: None }
    }
}

impl FailureKind {
    /// Whether it is proven that nothing happened.
    pub fn is_absence(self) -> bool {
        match self {
            Self::Rejected | Self::Retry => true,
            Self::Unknown => false,
        }
    }
}
