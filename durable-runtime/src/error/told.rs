//! Parts of the sentences that errors are told in.

use std::fmt;

use crate::core::start::{Cause, Place, Stop};
use crate::core::state::Cancelled;

/// Two places, told once if they are one.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) first: Place,
    pub(crate) again: Place,
}

impl fmt::Display for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { first, again } if first == again => write!(f, "both times at {first}"),
            Self { first, again } => write!(f, "at {first} and at {again}"),
        }
    }
}

/// Who has given a run up, when, and why, told in the middle of a sentence.
#[derive(Debug)]
pub(crate) struct CancelText {
    pub(crate) run: String,
    pub(crate) cancelled: Cancelled,
}

impl CancelText {
    pub(crate) fn of((run, cancelled): (&str, &Cancelled)) -> Self {
        Self { run: run.to_owned(), cancelled: cancelled.clone() }
    }
}

impl fmt::Display for CancelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cancelled { by, because, at, .. } = &self.cancelled;
        write!(f, "run `{}` was cancelled by {by} ({because}) at {at}", self.run)
    }
}

/// A stop, told in the middle of a sentence.
#[derive(Debug)]
pub(crate) struct StopText(pub(crate) Stop);

impl StopText {
    /// What its reader does, behind a semicolon. Where nothing but the next start is needed, that is `otherwise`; a doubt
    /// has its own way out, and every other stop tells it in its own words.
    pub(crate) fn then(&self, otherwise: &str) -> String {
        match (&self.0.way, self.0.cause) {
            (Some(way), _) => format!("; {way}"),
            (None, Cause::Error) if !otherwise.is_empty() => format!("; {otherwise}"),
            (None, _) => String::new(),
        }
    }

    pub(crate) fn cause(&self) -> Cause {
        self.0.cause
    }

    pub(crate) fn key(&self) -> &str {
        &self.0.key
    }
}

impl fmt::Display for StopText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stop { key, place, why, way, .. } = &self.0;
        write!(f, "at `{key}`")?;
        if let Some(place) = place {
            write!(f, " ({place})")?;
        }
        match way {
            Some(_) => write!(f, ", which is in doubt and may have happened ({why})"),
            None => write!(f, ": {why}"),
        }
    }
}
