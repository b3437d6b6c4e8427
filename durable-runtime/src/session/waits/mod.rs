//! Steps that wait: a sleep for an instant, a decision for a person; and how a process passes the time meanwhile.

mod asked;
mod decision;
mod hold;
mod lazy;
mod sleep;
mod spot;
mod unkeyed;

pub use decision::{Decide, DecideNeedsKey, IntoDecision};
pub(super) use hold::Wait;
pub use hold::Waits;
pub use sleep::{Sleep, SleepNeedsKey};
