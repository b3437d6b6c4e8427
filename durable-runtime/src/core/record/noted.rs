//! What a session is told beside its steps, kind by kind.

use serde::{Deserialize, Serialize};

use super::Stored;
use crate::core::pace::TurnKind;
use crate::core::research::Research;

/// Who notes something, and how often that run has noted the same kind of thing in its start before.
///
/// A resumed run notes everything again. By the number it is known what stands in the log already.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct By {
    /// Full key of the run; absent outside any workflow.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub run: String,
    /// Counts from 1; absent where nothing is noted again: outside any workflow, and inside a step.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nth: Option<u64>,
}

/// See [`super::Event::Memory`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// What the value is called.
    pub name: String,
    /// The value; absent if it is forgotten.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "super::present")]
    pub value: Option<Stored>,
    /// Who says so.
    #[serde(flatten)]
    pub by: By,
}

/// See [`super::Event::Artifact`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Artifact {
    /// What was made: a path or a name.
    pub name: String,
    /// Digest of its content, in the words of whoever made it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
    /// What it is, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub about: Option<String>,
    /// Whether it is to be forgotten.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub forgotten: bool,
    /// Who says so.
    #[serde(flatten)]
    pub by: By,
}

/// See [`super::Event::Budget`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Budget {
    /// How much of it is used.
    pub used: u64,
    /// How much there is, in the same unit.
    pub total: u64,
    /// Whether half of it is used now and was not before: a checkpoint follows.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub half: bool,
    /// Who says so.
    #[serde(flatten)]
    pub by: By,
}

/// See [`super::Event::Turn`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Turn {
    /// Full key of the run; absent outside any workflow.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub run: String,
    /// Counts from 1.
    pub number: u64,
    /// What it is for.
    pub turn: TurnKind,
    /// After how many turns without anything; 0 where it is for work or rest.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub after: u64,
    /// How many turns in a row have completed no action, counted anew from an exploration on.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub idle: u64,
    /// How many turns in a row have made nothing, counted anew from a build on.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub barren: u64,
    /// How many turns in a row have completed no action.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub stalled: u64,
}

/// See [`super::Event::Verdict`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// The component that was looked for.
    pub component: String,
    /// What becomes of it.
    pub verdict: Research,
    /// Why.
    pub because: String,
    /// Who says so.
    #[serde(flatten)]
    pub by: By,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
