//! How a process that runs a session ends.

use std::fmt;
use std::process::{ExitCode, Termination};

use crate::core::standing::Standing;
use crate::core::start::Cause;

/// How a process that ran a session ended; returned from `main`, it becomes the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "return it from `main`, so that whoever started the process learns how it ended"]
pub enum Outcome {
    /// 0: everything asked for is done, and no person is asked about anything. Of a start that reaches nothing: everything that
    /// the session has begun is.
    Finished,
    /// 1: an error stopped a run; the next start goes on from there.
    Stopped,
    /// 75: an effect is in doubt, and a person must say what happened.
    InDoubt,
    /// 76: the code and the log do not agree: a key was used before with something else, such as another input, other
    /// arguments, another workflow, kind or type of step; or the code no longer reaches what is recorded, such as a renamed key.
    /// No start mends that.
    Conflict,
    /// 77: another process holds the session.
    Held,
    /// 78: something acknowledged can no longer be read, or the session is not where it was and nobody has vouched for it.
    Damaged,
    /// 79: it waits, for an instant or for a person's answer; a start that comes after that goes on.
    Waiting,
    /// 80: a person has cancelled a run. What is undone of it stays undone, and another start says the same; a run around
    /// it that needs its result says what to do. See [`Session::cancel`](crate::Session::cancel).
    Cancelled,
}

impl Outcome {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Finished => 0,
            Self::Stopped => 1,
            Self::InDoubt => 75,
            Self::Conflict => 76,
            Self::Held => 77,
            Self::Damaged => 78,
            Self::Waiting => 79,
            Self::Cancelled => 80,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Finished => "finished",
            Self::Stopped => "stopped",
            Self::InDoubt => "in doubt",
            Self::Conflict => "at odds with what is recorded",
            Self::Held => "held by another process",
            Self::Damaged => "damaged",
            Self::Waiting => "waiting",
            Self::Cancelled => "cancelled",
        };
        write!(f, "{words} (exit code {})", self.code())
    }
}

impl From<Cause> for Outcome {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Cancelled => Self::Cancelled,
            Cause::Waiting => Self::Waiting,
            Cause::Error => Self::Stopped,
            Cause::Conflict => Self::Conflict,
            Cause::Doubt => Self::InDoubt,
            Cause::Damage => Self::Damaged,
        }
    }
}

impl From<Standing> for Outcome {
    /// How a process would end that has left a session so; of one that another process works on, that it is held.
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Finished | Standing::Empty => Self::Finished,
            Standing::Cancelled => Self::Cancelled,
            Standing::Running => Self::Held,
            Standing::Waiting => Self::Waiting,
            Standing::Stopped | Standing::Interrupted => Self::Stopped,
            Standing::InDoubt => Self::InDoubt,
            Standing::Lossy | Standing::Unvouched => Self::Damaged,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        outcome.code().into()
    }
}

impl Termination for Outcome {
    fn report(self) -> ExitCode {
        self.into()
    }
}
