//! The letter to whoever comes next: where the work stands, what just happened, what to do, what never to do again.
//!
//! `letter` is its content as a value, `compose` makes that from a [`State`](super::state::State), `render` writes
//! it as Markdown with the sentences of `words`, in the `room` that a page has, and `json` the same lines for machines. It is written for readers and never
//! read by this library.

mod asides;
mod compose;
mod inventory;
mod json;
mod letter;
mod render;
mod room;
mod words;

pub use inventory::Inventory;
pub use letter::Handoff;

#[cfg(test)]
mod tests;
