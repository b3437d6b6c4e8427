//! What each kind of record says, field by field.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

use super::{By, Stored};
use crate::core::failure::FailureKind;
use crate::core::meta::{Proof, StepKind};
use crate::core::outline::Outline;
use crate::core::time::Timestamp;

/// See [`super::Event::Boot`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Boot {
    /// Id of the session, the same for its whole life.
    pub session: Uuid,
    /// Version of the format.
    pub format: u32,
    /// Count of boots, from 1; that of the boot before it, where this one goes on with an iteration.
    pub iteration: u64,
    /// Who the session is.
    pub identity: String,
    /// `power_safe` or `process_safe`.
    pub durability: String,
    /// Version of this library.
    pub library: String,
    /// Id of the machine's own boot, where the system has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub machine_boot: Option<String>,
    /// Process id, for messages only: it proves nothing.
    pub pid: u32,
    /// Where the session stood, in the words of its store; a copy of it stands elsewhere.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<String>,
}

/// See [`super::Event::Checkpoint`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The goal, if one is known.
    pub goal: Option<String>,
    /// The last completed action.
    pub last: Option<String>,
    /// What comes next.
    pub next: Option<String>,
    /// Why it was written, if not for a boot.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// Who asked for it, if somebody did.
    #[serde(flatten)]
    pub by: By,
}

/// See [`super::Event::Run`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Full key of the run.
    pub run: String,
    /// Name of the workflow.
    pub workflow: String,
    /// Shape of the template of the run's key.
    pub shape: String,
    /// Whether that is the template of a `#[run]`, in the run around this one.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub named: bool,
    /// What the run does, in the words of that `#[run]`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// The goal, holes filled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// Version of the code that began it; absent if it is the first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<u32>,
    /// The inputs by name.
    pub inputs: BTreeMap<String, Stored>,
    /// The workflow as the code had it.
    pub outline: Arc<Outline>,
}

/// See [`super::Event::Code`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Code {
    /// Full key of the run.
    pub run: String,
    /// The inputs that this code takes and the run was begun without, each with its default.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub inputs: BTreeMap<String, Stored>,
    /// The workflow as the code has it now.
    pub outline: Arc<Outline>,
}

/// See [`super::Event::Reserve`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reserve {
    /// Full key.
    pub key: Arc<str>,
    /// Full key of the run; empty outside any workflow.
    pub run: Arc<str>,
    /// Shape of the key's template.
    pub shape: Arc<str>,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// What the receiver is given to know a repeat by; absent if the step names no token.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub token: Option<Uuid>,
    /// How a doubt about this attempt ends.
    pub proof: Proof,
    /// Whom to ask.
    pub ask: Arc<str>,
    /// What the step does, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<Arc<str>>,
    /// Milliseconds for which a request may still land after the attempt has ended.
    pub settle_ms: u64,
    /// Milliseconds for which the receiver remembers the token; absent where nothing is said of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub within_ms: Option<u64>,
    /// Digest of what the step was given; absent where it names no `args`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub args: Option<Uuid>,
    /// Type of what the step gives, without its path; absent where nobody is to be asked for it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gives: Option<String>,
}

/// See [`super::Event::Done`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    /// Full key.
    pub key: Arc<str>,
    /// Full key of the run; empty outside any workflow.
    pub run: Arc<str>,
    /// Shape of the key's template.
    pub shape: Arc<str>,
    /// What the step is.
    pub kind: StepKind,
    /// How the result is known.
    pub how: How,
    /// Number of the attempt; 0 for a read.
    pub attempt: u32,
    /// What the step does, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<Arc<str>>,
    /// The result; absent if it could not be stored.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "present")]
    pub value: Option<Stored>,
    /// Why the result could not be stored.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unstorable: Option<String>,
    /// Digest of what a read was given; absent where it names no `args`, and for a side effect, whose reservation has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub args: Option<Uuid>,
    /// Type of the result without its path, if that could not be stored: a person is asked for it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gives: Option<String>,
}

/// How a result is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum How {
    /// The step ran and gave it.
    Executed,
    /// The verifier found it.
    Verified,
    /// A person supplied it.
    Resolved,
    /// Nobody answered in time, and this is what then counts.
    Expired,
}

/// See [`super::Event::Failed`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failed {
    /// Full key.
    pub key: String,
    /// Full key of the run; empty outside any workflow.
    pub run: String,
    /// What the step is.
    pub kind: StepKind,
    /// Number of the attempt; 0 for a read.
    pub attempt: u32,
    /// What the error proves.
    pub failure: FailureKind,
    /// The error in words.
    pub error: String,
    /// What the receiver said beside its error.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub payload: Option<String>,
    /// Before this instant no further attempt is made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retry_at: Option<Timestamp>,
    /// Whether this was the last attempt of this start: the next one has as many again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub spent: bool,
    /// What makes the error the step's result, as soon as it is proven that nothing happened; absent if it is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub result: Option<ErrorResult>,
}

/// See [`Failed::result`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ErrorResult {
    /// Shape of the key's template.
    pub shape: String,
    /// What the step does, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// The receiver's code for the error.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
}

/// See [`super::Event::Absent`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Absent {
    /// Full key.
    pub key: String,
    /// Number of the attempt.
    pub attempt: u32,
    /// `verifier`, or the person's name.
    pub by: String,
    /// Before this instant no further attempt is made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retry_at: Option<Timestamp>,
    /// Whether this was the last attempt of this start: the next one has as many again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub spent: bool,
}

/// See [`super::Event::InDoubt`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InDoubt {
    /// Full key.
    pub key: String,
    /// Number of the attempt.
    pub attempt: u32,
    /// Whom to ask.
    pub ask: String,
    /// Why nobody else can tell.
    pub why: String,
    /// Type of what the step gives, without its path; absent where nobody is to be asked for it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gives: Option<String>,
}

/// See [`super::Event::NotYet`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NotYet {
    /// Full key.
    pub key: String,
    /// Number of the attempt.
    pub attempt: u32,
    /// Before this instant absence proves nothing.
    pub until: Timestamp,
}

/// See [`super::Event::Resolve`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Resolve {
    /// Full key.
    pub key: String,
    /// Number of the attempt that the word is about.
    pub attempt: u32,
    /// Whether it happened.
    pub happened: bool,
    /// The step's result, if it happened.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "present")]
    pub value: Option<Stored>,
    /// Who says so.
    pub by: String,
    /// Why.
    pub because: String,
    /// Id of the word, if it came through the inbox.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub word: Option<Uuid>,
}

/// See [`super::Event::Wait`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Wait {
    /// Full key.
    pub key: String,
    /// Full key of the run; empty outside any workflow.
    pub run: String,
    /// Shape of the key's template.
    pub shape: String,
    /// What the step does, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// Before this instant the step does not go on.
    pub until: Timestamp,
    /// What it waits for.
    pub why: String,
}

/// See [`super::Event::Woke`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Woke {
    /// Full key.
    pub key: String,
}

/// See [`super::Event::Ask`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ask {
    /// Full key.
    pub key: String,
    /// Full key of the run; empty outside any workflow.
    pub run: String,
    /// Shape of the key's template.
    pub shape: String,
    /// What is decided, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// Whom to ask.
    pub ask: String,
    /// What is shown to whoever decides.
    pub shown: Stored,
    /// SHA-256 of what is shown, the names in each object sorted, in hex.
    pub digest: String,
    /// Until when an answer is awaited.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires: Option<Timestamp>,
    /// What counts if nobody has answered by then.
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "present")]
    pub otherwise: Option<Stored>,
    /// Type of an answer, without its path.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gives: Option<String>,
}

/// See [`super::Event::Answer`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Full key.
    pub key: String,
    /// What was shown to whoever answers.
    pub digest: String,
    /// The answer.
    pub value: Stored,
    /// Who gives it.
    pub by: String,
    /// Why.
    pub because: String,
    /// Id of the word, if it came through the inbox.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub word: Option<Uuid>,
}

/// See [`super::Event::WordRefused`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordRefused {
    /// Full key, as it was given.
    pub key: String,
    /// The attempt that it was about, if it said so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub attempt: Option<u32>,
    /// What had been shown, if it said so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
    /// Who gave it.
    pub by: String,
    /// Why it does not count.
    pub why: String,
    /// Id of the word, if it came through the inbox.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub word: Option<Uuid>,
    /// Whether it was the answer that the question had: the question is open again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub reopens: bool,
}

/// See [`super::Event::Stopped`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stopped {
    /// Full key of the run.
    pub run: String,
    /// Key of the step that stopped it, if one did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key: Option<String>,
    /// Why, in words.
    pub error: String,
    /// Whether it only waits: nothing went wrong.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub waits: bool,
    /// Whether it came to its end because it was given up, it or a run around it: nothing went wrong, and nothing follows.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cancelled: bool,
    /// Shapes of the recorded steps and runs that it came to its end without reaching: until they are, nothing new has one
    /// of these shapes.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub missed: Vec<String>,
    /// What went wrong before, where this only follows from it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub origin: Option<Box<Origin>>,
}

/// What another error follows from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Full key of the step or the run that failed.
    pub key: String,
    /// Where it stands in the source, if it is a step.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<String>,
    /// Its error in words.
    pub error: String,
}

/// See [`super::Event::End`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct End {
    /// Full key of the run.
    pub run: String,
    /// What it returned.
    pub value: Stored,
}

/// See [`super::Event::Cancel`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cancel {
    /// Full key of the run.
    pub run: String,
    /// Who gave it up.
    pub by: String,
    /// Why.
    pub because: String,
    /// Id of the word, if it came through the inbox.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub word: Option<Uuid>,
}

/// See [`super::Event::Replayed`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Replayed {
    /// How many steps.
    pub count: u64,
    /// Key of the first.
    pub first: String,
    /// Key of the last.
    pub last: String,
}

/// See [`super::Event::Repaired`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Repaired {
    /// Bytes cut off; none of them was ever acknowledged.
    pub bytes: u64,
    /// Line at which they began, from 1.
    pub line: u64,
}

/// See [`super::Event::Lost`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lost {
    /// The keys.
    pub keys: Vec<String>,
    /// Nothing is known to be lost: the session was adopted, and another copy of it may have done these.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub adopted: bool,
}

/// See [`super::Event::Adopt`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Adopt {
    /// Who vouches for it.
    pub by: String,
    /// Why.
    pub because: String,
}

/// See [`super::Event::Refused`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Refused {
    /// Full key of the run; empty outside any workflow.
    pub run: String,
    /// Full key of the step, if it was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key: Option<String>,
    /// The error in words.
    pub error: String,
    /// See [`Stopped::origin`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub origin: Option<Box<Origin>>,
}

/// See [`super::Event::Note`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Note {
    /// The line.
    pub text: String,
}

/// See [`super::Event::Mark`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mark {}

/// See [`super::Event::Dormant`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dormant {}

/// See [`super::Event::Trim`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trim {
    /// How many records stand in front of it.
    pub records: u64,
    /// How many steps were ever opened.
    pub opened: u64,
    /// How many of them were left open by a run that has finished, and never done.
    pub left: u64,
    /// How many keys the `closed` records behind it name.
    pub closed: u64,
    /// The registry as it was then.
    pub registry: Witnessed,
}

/// The part of the registry that names the keys of all records up to a [`Trim`], and no other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witnessed {
    /// Its length in bytes, from the beginning of the file.
    pub len: u64,
    /// Its CRC32C.
    pub crc: u32,
}

/// See [`super::Event::Closed`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Closed {
    /// The keys.
    pub keys: Vec<String>,
}

/// A field that is there has a value, also if that is `null`: the result of a step that gives nothing.
pub(in crate::core) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Stored>, D::Error> {
    Stored::deserialize(deserializer).map(Some)
}
