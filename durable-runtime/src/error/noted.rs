//! Why something that is no step was not noted, or not given.

use crate::core::memory::Bound;
use crate::core::start::Place;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("`{name}` was not remembered: {bound}; nothing was changed")]
    Full { name: String, bound: Bound },
    #[error("`{name}` was not remembered: its value cannot be stored: {error}; remember what can be written as JSON")]
    NotStorable { name: String, error: String },
    #[error(
        "the value that is remembered as `{name}` does not read as `{ty}`: {error}; ask for the type that was given to `set`, or for `serde_json::Value`"
    )]
    OfOtherType { name: String, ty: &'static str, error: String },
    #[error(
        "a context budget of nothing ({used} of 0 used, {at}) says nothing: give how much there is, in the unit of what is used"
    )]
    NoBudget { used: u64, at: Place },
    #[error(
        "`session.memory().{asked}` was refused in the body of run `{run}`: a resumed run is at this line again, and would find what was remembered since, and go another way; read it in a step, which records what it found: `#[read(key = \"..\")] let found = session.memory().{asked}?;`"
    )]
    InBody { asked: &'static str, run: String },
}
