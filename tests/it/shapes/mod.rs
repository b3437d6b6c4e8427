//! The shapes of code in which a step may stand. Each workflow runs in one go, in two starts of which the first ends in an
//! error behind the last step, and killed inside each of its effects. Whatever the shape, each effect happens once.

mod bank;
mod borrows;
mod carriers;
mod conditional;
mod functions;
mod generated;
mod hygiene;
mod inputs;
mod loops;
mod macros;
mod mortal;
mod names;
mod namesakes;
mod nesting;
mod odd;
mod outlines;
mod positions;
mod receipt;
mod receivers;
mod runs;
mod signatures;
mod statements;
mod threads;
mod values;

use receipt::receipt;
