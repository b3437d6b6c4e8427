//! How the process ends, for whoever started it.

use std::process::ExitCode;

use durable_runtime::Outcome;

/// An exit code. Those of a session are the library's own: see [`Outcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit(u8);

impl Exit {
    /// 0: what was asked for is done.
    pub(crate) const DONE: Self = Self(0);
    /// 1: it is not done, and the text says why.
    pub(crate) const STOPPED: Self = Self(1);
    /// 2: the command was not understood, or names something that does not exist. Nothing was changed.
    pub(crate) const USAGE: Self = Self(2);

    /// 74: it is done, and what there is to say of it could not be printed.
    pub(crate) const UNPRINTED: Self = Self(74);

    /// 77: another process holds the session. Nothing was changed.
    pub(crate) const HELD: Self = Self(77);

    /// That of a command, as it ended or as it is recorded.
    pub(crate) fn of_command(code: u8) -> Self {
        Self(code)
    }

    /// What a shell makes of a process that a signal has ended.
    pub(crate) fn of_signal(signal: i32) -> Self {
        Self(u8::try_from(signal).unwrap_or(0).saturating_add(128))
    }

    /// The word for it where a command ends early, for programs.
    pub(crate) fn word(self) -> &'static str {
        match self.0 {
            2 => "not_understood",
            74 => "not_printed",
            75 => "in_doubt",
            76 => "conflict",
            77 => "held",
            78 => "damaged",
            79 => "waiting",
            80 => "cancelled",
            _ => "stopped",
        }
    }

    /// The number.
    pub(crate) fn code(self) -> u8 {
        self.0
    }
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Self {
        Self(outcome.code())
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.0.into()
    }
}
