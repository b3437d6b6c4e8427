//! What befalls a child. It has a text, for the replay line.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::testing::story::{After, Fate, Plan, Story, When};

/// What befalls a child.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strike {
    /// It kills itself.
    Kill(When),
    /// At the n-th system call of this name (from 1) that touches the trial, its tracer does something.
    Syscall { name: String, nth: u64, what: Injected },
}

/// What a tracer does in the place of a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Injected {
    /// It kills the process.
    Kill,
    /// The call gives an error: the disk is broken.
    Eio,
    /// The call gives an error: the disk is full.
    Enospc,
}

impl Injected {
    pub(super) const ALL: [Self; 3] = [Self::Kill, Self::Eio, Self::Enospc];

    fn word(self) -> &'static str {
        match self {
            Self::Kill => "SIGKILL",
            Self::Eio => "EIO",
            Self::Enospc => "ENOSPC",
        }
    }

    /// As strace takes it.
    pub(super) fn option(self) -> String {
        match self {
            Self::Kill => "signal=SIGKILL".to_owned(),
            Self::Eio | Self::Enospc => format!("error={}", self.word()),
        }
    }
}

impl Strike {
    /// What the child does to itself.
    pub(super) fn plan(&self) -> Option<Plan> {
        match self {
            Self::Kill(when) => Some(Plan { when: *when, fate: Fate::Dies }),
            Self::Syscall { .. } => None,
        }
    }

    /// Whether it ends a process.
    pub(super) fn kills(&self) -> bool {
        matches!(self, Self::Kill(_) | Self::Syscall { what: Injected::Kill, .. })
    }

    /// Where it is, and what, for a table; `deed` is what is done to a process.
    pub(super) fn kind(&self, deed: &str) -> String {
        match self {
            Self::Kill(When::Operation(_)) => format!("{deed} before an operation of the disk"),
            Self::Kill(When::Call(..)) => format!("{deed} in a call to the world"),
            Self::Syscall { what: Injected::Kill, .. } => format!("{deed} at a system call"),
            Self::Syscall { .. } => "error of a system call".to_owned(),
        }
    }
}

impl fmt::Display for Strike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill(when) => write!(f, "kill@{when}"),
            Self::Syscall { name, nth, what } => write!(f, "{name}#{nth}={}", what.word()),
        }
    }
}

impl FromStr for Strike {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is nothing that befalls a process; give the line as it was printed");
        if text.starts_with("kill@") {
            // One turn of a story.
            let story: Story = format!("0:{text}").parse().map_err(|_| wrong())?;
            let turn = story.turns.first().filter(|turn| story.turns.len() == 1 && turn.after == After::Kept);
            return Ok(Self::Kill(turn.and_then(|turn| turn.plan).ok_or_else(wrong)?.when));
        }
        let (name, rest) = text.split_once('#').ok_or_else(wrong)?;
        let (nth, what) = rest.split_once('=').ok_or_else(wrong)?;
        let what = Injected::ALL.into_iter().find(|injected| injected.word() == what).ok_or_else(wrong)?;
        Ok(Self::Syscall { name: name.to_owned(), nth: nth.parse().map_err(|_| wrong())?, what })
    }
}

impl Serialize for Strike {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Strike {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strike_is_read_back_from_its_text() {
        for text in ["kill@17", "kill@call3.applied", "fdatasync#3=SIGKILL", "pwrite64#12=EIO", "openat#1=ENOSPC"] {
            assert_eq!(text.parse::<Strike>().expect(text).to_string(), text);
        }
        for text in ["", "17", "kill@", "kill@1+power#0", "kill@1:kill@2", "write#x=EIO", "write#1=EPERM", "write#1"] {
            assert!(text.parse::<Strike>().is_err(), "{text}");
        }
    }
}
