//! What the library promises, tried from outside.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod attacks;
mod attempts;
mod boots;
mod cases;
mod change;
mod charts;
mod counts;
mod damage;
mod disk;
mod faults;
mod guide;
mod hostile;
mod keys;
mod kills;
mod lab;
mod letters;
mod lost_files;
mod memory;
mod model;
mod moved;
mod parity;
mod payments;
mod processes;
mod readme;
mod recalled;
mod recover_all;
mod resume;
mod shapes;
mod starts;
mod strangers;
mod support;
mod trimmed;
mod ui;
mod values;
mod waits;
