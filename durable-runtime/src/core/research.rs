//! What a search for a ready component has found.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What becomes of a component that others have built already. Recorded by [`Pace::researched`](crate::Pace::researched).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Research {
    /// It is taken as it is.
    Adopt,
    /// It is taken, and changed.
    Adapt,
    /// It is not taken; one is built.
    Reject,
}

impl fmt::Display for Research {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Adopt => "adopt",
            Self::Adapt => "adapt",
            Self::Reject => "reject",
        })
    }
}

/// A verdict that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Researched {
    /// The component, in words.
    pub component: String,
    /// What becomes of it.
    pub verdict: Research,
    /// Why.
    pub because: String,
    /// The record that says so.
    pub(crate) seq: u64,
}

/// How many verdicts are kept at hand.
pub const RESEARCHED: usize = 20;
