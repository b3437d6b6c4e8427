//! Steps that wait: for an instant, and for a person.

mod cancels;
mod decisions;
mod exits;
mod inbox;
mod plain;
mod posted;
mod sleeps;
mod words;
mod world;
