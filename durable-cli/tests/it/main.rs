//! What the command promises, tried from outside: each test runs the binary on a real session.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "tests play the world: they start processes, and read files")]

mod damage;
mod handoffs;
mod lost;
mod many;
mod pages;
mod reading;
mod support;
mod terminal;
mod words;
mod workflows;
