//! A decision with two answers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a person says to a question with two answers: a ready-made type for a `#[decision]`.
///
/// # Examples
///
/// ```
/// use durable_runtime::Approval;
///
/// let approval = Approval::declined("ada", "the sum is wrong");
/// assert!(!approval.is_approved());
/// assert_eq!(approval.to_string(), "declined by ada: the sum is wrong");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    approved: bool,
    by: String,
    because: String,
}

impl Approval {
    /// Yes.
    pub fn approved(by: impl Into<String>, because: impl Into<String>) -> Self {
        Self { approved: true, by: by.into(), because: because.into() }
    }

    /// No.
    pub fn declined(by: impl Into<String>, because: impl Into<String>) -> Self {
        Self { approved: false, by: by.into(), because: because.into() }
    }

    /// Whether it is a yes.
    pub fn is_approved(&self) -> bool {
        self.approved
    }

    /// Who said it.
    pub fn by(&self) -> &str {
        &self.by
    }

    /// Why.
    pub fn because(&self) -> &str {
        &self.because
    }
}

impl fmt::Display for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.approved { "approved" } else { "declined" };
        write!(f, "{word} by {}: {}", self.by, self.because)
    }
}
