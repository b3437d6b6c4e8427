//! Why something that is no step was not noted, or not given.

use crate::core::memory::Bound;
use crate::core::start::Place;
use crate::core::way_out::GOAL;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("`{name}` was not remembered: {bound}; nothing was changed")]
    Full { name: String, bound: Bound },
    #[error(
        "`{name}` was not remembered: its name holds what looks like a secret ({holds}), and would be written into the journal; give it another name"
    )]
    SecretName { name: String, holds: String },
    #[error("`{name}` was not remembered: its value cannot be stored: {error}; remember what can be written as JSON")]
    NotStorable { name: String, error: String },
    #[error(
        "the value that is remembered as `{name}` does not read as `{ty}`: {error}; ask for the type that was given to `set`, or for `serde_json::Value`"
    )]
    OfOtherType { name: String, ty: &'static str, error: String },
    #[error(
        "`{what}` ({at}) was not begun: turn {number} of {whose} is for rest, in which an effect is refused before it is reserved; let the arm `Turn::Rest` of the loop begin none (`Turn::Rest => continue`), or, where the loop is over, call `session.pace().end()` behind it"
    )]
    Resting { what: String, at: Place, number: u64, whose: String },
    #[error(
        "artifact `{name}` was not noted: turn {number} of {whose} is for rest, in which nothing is made; make it in another turn (`Turn::Rest => continue`), or, where the loop is over, call `session.pace().end()` behind it"
    )]
    NothingMade { name: String, number: u64, whose: String },
    #[error(
        "the session was not opened: the mission file `{path}` {why}; write what the work is for into it, in a first paragraph, or take it away and give the goal with {}",
        GOAL
    )]
    NoMission { path: String, why: String },
    #[error(
        "a context budget of nothing ({used} of 0 used, {at}) says nothing: give how much there is, in the unit of what is used"
    )]
    NoBudget { used: u64, at: Place },
    #[error(
        "`session.{asked}` was refused in the body of run `{run}`: a resumed run is at this line again, and would find what was remembered since, and go another way; read it in a step, which records what it found: `#[read(key = \"..\")] let found = session.{asked}?;`"
    )]
    InBody { asked: &'static str, run: String },
}

/// Whose loop it is.
pub(crate) fn whose(run: &str) -> String {
    if run.is_empty() { "the session's loop".to_owned() } else { format!("the loop of run `{run}`") }
}
