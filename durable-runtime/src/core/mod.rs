//! The pure core: what the log says, and what may happen next.
//!
//! No file, no clock and no `await` in here. Everything a session knows is [`state::State`], a fold over
//! [`record::Record`]s; everything it may do is [`decide`]d from that state.

pub mod audit;
pub mod budget;
pub mod compact;
pub mod course;
pub mod decide;
pub mod digest;
pub mod evolution;
pub mod failure;
pub mod fold;
pub mod handoff;
pub mod key;
pub mod life;
pub mod memory;
pub mod meta;
pub mod mission;
pub mod names;
pub mod noted;
pub mod outline;
pub mod pace;
pub mod policy;
pub mod progress;
pub mod record;
pub mod research;
pub mod secrets;
pub mod standing;
pub mod start;
pub mod state;
pub mod step_error;
pub mod text;
pub mod time;
pub mod value;
pub mod view;
pub mod waits;
pub mod way_out;
pub mod witness;
pub mod word;
pub mod workflows;
