//! Tells a person at a terminal how far the exploration has come.

use std::io::{IsTerminal as _, Write as _};

use super::findings::Findings;

/// A line on standard error that is written over again and again, if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    name: String,
    is_seen: bool,
}

/// A new line after so many states.
const EVERY: u64 = 512;

impl Progress {
    pub(crate) fn of(name: &str) -> Self {
        Self { name: name.to_owned(), is_seen: std::io::stderr().is_terminal() }
    }

    pub(crate) fn tell(&self, findings: &Findings) {
        if self.is_seen && findings.states.is_multiple_of(EVERY) {
            let (name, states, distinct) = (&self.name, findings.states, findings.distinct);
            // A terminal that is gone is no reason to stop.
            write!(std::io::stderr(), "\r{name}: {states} states, {distinct} distinct ").ok();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_seen {
            write!(std::io::stderr(), "\r\x1b[K").ok();
        }
    }
}
