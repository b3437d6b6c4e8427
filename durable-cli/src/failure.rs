//! Why a command did not do what it was asked for.

use std::io;

use crate::exit::Exit;

/// Why a command ends early: what is said of it, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// One lower-case sentence that ends with the way out; `None` if nobody is there to read it.
    pub(crate) text: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, text: impl Into<String>) -> Self {
        Self { exit, text: Some(text.into()) }
    }
}

impl From<io::Error> for Failure {
    /// Only what is printed fails this way. Whoever closed the pipe, as `head` does, has read enough.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self { exit: Exit::DONE, text: None },
            _ => {
                let text =
                    format!("not all could be printed ({error}): look at where the output goes, and make room there");
                Self::new(Exit::UNPRINTED, text)
            }
        }
    }
}
