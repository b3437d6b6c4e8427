//! What a boot found.

use std::fmt;

/// What the last session left, and what of it is amiss or in doubt: read by [`Session::boot_report`](crate::Session::boot_report)
/// before anything is started.
///
/// Its [`Display`](fmt::Display) is for a person, or an agent, who takes the work over.
#[derive(Debug)]
pub struct BootReport {
    pub(crate) iteration: u64,
    pub(crate) handoff: Option<String>,
    pub(crate) journal: Vec<String>,
    pub(crate) amiss: Vec<String>,
    pub(crate) in_doubt: Vec<String>,
    /// The process, as the state view names it.
    pub(crate) pid: u32,
}

impl BootReport {
    /// How often the session was booted, this boot included: see [`Session::iteration`](crate::Session::iteration).
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// `handoff.md` as the last session left it. `None` if there was none.
    pub fn handoff(&self) -> Option<&str> {
        self.handoff.as_deref()
    }

    /// The last lines of the journal as the last session left them: at most twenty, the newest last.
    pub fn journal(&self) -> &[String] {
        &self.journal
    }

    /// What was amiss with the files of the session, and was made good or is gone on without, one sentence each.
    pub fn amiss(&self) -> &[String] {
        &self.amiss
    }

    /// The full keys of the steps that were started and have no known outcome, the oldest first.
    pub fn in_doubt(&self) -> &[String] {
        &self.in_doubt
    }
}

impl fmt::Display for BootReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "boot {}", self.iteration)?;
        list(f, "amiss", &self.amiss)?;
        list(f, "in doubt", &self.in_doubt)?;
        list(f, "the last lines of the journal", &self.journal)?;
        match &self.handoff {
            Some(handoff) => write!(f, "the handoff that was left:\n\n{}", handoff.trim_end()),
            None => f.write_str("no handoff was left"),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, what: &str, lines: &[String]) -> fmt::Result {
    match lines {
        [] => writeln!(f, "{what}: nothing"),
        lines => {
            writeln!(f, "{what}:")?;
            lines.iter().try_for_each(|line| writeln!(f, "- {line}"))
        }
    }
}
