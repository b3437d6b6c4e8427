//! Whether what a session has left keeps the protocol: line by line, from its records and its files.

mod course;
mod judge;

use std::fmt;

use serde::Serialize;

pub(crate) use self::course::Course;
pub(crate) use self::judge::{Beside, Told, made_from};

/// What an audit found. Made by [`audit`](crate::audit()).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// Where the session is.
    pub place: String,
    /// The lines of the checklist, each once.
    pub lines: Vec<AuditLine>,
}

/// One line of the checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AuditLine {
    /// What must hold.
    pub rule: &'static str,
    /// Whether it does.
    pub verdict: AuditVerdict,
    /// How that is known.
    pub because: String,
    /// Where it does not: files and lines, records, keys. At most [`SHOWN`](Self::SHOWN).
    pub places: Vec<String>,
}

/// Whether a line of the checklist holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditVerdict {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// The files do not tell.
    NotSeen,
}

impl Audit {
    /// Whether no line fails.
    pub fn holds(&self) -> bool {
        self.lines.iter().all(|line| line.verdict != AuditVerdict::Fails)
    }
}

impl AuditLine {
    /// How many places a line names at most.
    pub const SHOWN: usize = 20;

    fn new(rule: &'static str, verdict: AuditVerdict, because: impl Into<String>) -> Self {
        Self { rule, verdict, because: because.into(), places: Vec::new() }
    }

    /// One that holds if there is no place where it does not.
    fn judged(rule: &'static str, places: Vec<String>, holds: String, fails: &str) -> Self {
        let verdict = if places.is_empty() { AuditVerdict::Holds } else { AuditVerdict::Fails };
        let because = match places.len() {
            0 => holds,
            count if count > Self::SHOWN => format!("{fails} ({count} in all)"),
            _ => fails.to_owned(),
        };
        let places = places.into_iter().take(Self::SHOWN).collect();
        Self { rule, verdict, because, places }
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = self.lines.iter().filter(|line| line.verdict == AuditVerdict::Fails).count();
        match failed {
            0 => writeln!(f, "session `{}`: no line of the checklist fails", self.place)?,
            _ => writeln!(f, "session `{}`: {failed} of {} lines of the checklist fail", self.place, self.lines.len())?,
        }
        self.lines.iter().try_for_each(|line| line.fmt(f))
    }
}

impl fmt::Display for AuditLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            AuditVerdict::Holds => "holds",
            AuditVerdict::Fails => "FAILS",
            AuditVerdict::NotSeen => "not seen here",
        };
        writeln!(f, "- {verdict}: {} — {}", self.rule, self.because)?;
        self.places.iter().try_for_each(|place| writeln!(f, "  - {place}"))
    }
}
