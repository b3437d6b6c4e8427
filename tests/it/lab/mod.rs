//! The kill lab, on workflows of every kind of step, and on workflows with a planted bug.

mod http;
mod kinds;
mod payroll;
mod planted;
mod real;
