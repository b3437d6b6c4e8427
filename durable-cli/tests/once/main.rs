//! The commands for scripts and agents, as a script and an agent see them: the real binary, real programs, real kills.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "tests play the world: they start processes, and read files")]

mod agent;
mod kills;
mod lock;
mod output;
mod place;
mod results;

mod skill;
mod slips;
mod standing;
mod verify;
