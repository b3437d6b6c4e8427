//! The shapes of code in which a step may stand. Each workflow runs twice in one session: the first start ends in an
//! error behind its last step, the second goes on from there. Whatever the shape, each effect happens once.

mod bank;
mod carriers;
mod functions;
mod hygiene;
mod inputs;
mod loops;
mod macros;
mod nesting;
mod outlines;
mod positions;
mod receipt;
mod runs;
mod statements;
mod threads;
mod values;

use receipt::receipt;
