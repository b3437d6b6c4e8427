//! The ledger of a world as a file: it outlives the processes that act on it.
#![expect(clippy::disallowed_methods, reason = "it belongs to the world, and to no session")]

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;

use serde_json::Value;

/// One line for each effect, in the order in which they were done.
#[derive(Clone, Debug)]
pub(crate) struct Book(PathBuf);

impl Book {
    /// The book in this file, which need not exist yet.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// What was done so far.
    pub(crate) fn read(&self) -> Vec<(String, Value)> {
        let bytes = match fs::read(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            read => read.unwrap_or_else(|error| self.fail(&error)),
        };
        let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let read = |line| serde_json::from_slice(line).unwrap_or_else(|error| self.fail(&io::Error::other(error)));
        lines.map(read).collect()
    }

    /// Notes an effect. One write, so that no kill leaves half a line.
    pub(super) fn write_line(&self, effect: &str, answer: &Value) -> io::Result<()> {
        let line = serde_json::to_string(&(effect, answer))? + "\n";
        OpenOptions::new().append(true).create(true).open(&self.0)?.write_all(line.as_bytes())
    }

    /// The same; a world that cannot keep its book is none.
    pub(crate) fn write(&self, effect: &str, answer: &Value) {
        self.write_line(effect, answer).unwrap_or_else(|error| self.fail(&error));
    }

    #[expect(clippy::panic, reason = "the harness is broken, and every count would be wrong")]
    fn fail(&self, error: &io::Error) -> ! {
        panic!("the book of the world, {}, cannot be kept: {error}; look at the disk that it is on", self.0.display())
    }
}
