//! What survives a step: a first run and every replay see the same value, and it is the one that the step gave.

mod cases;
mod large;
mod table;
mod trial;
