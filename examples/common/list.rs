//! The world outside, as these stories need it: a list with one line for each thing that was done, known by its token.

use std::fs;
use std::io;
use std::path::PathBuf;

/// A list in a file.
pub(crate) struct List(pub(crate) PathBuf);

impl List {
    /// Adds a line, and gives its number.
    pub(crate) fn add(&self, token: impl ToString, what: &str) -> io::Result<usize> {
        let text = format!("{}{} {what}\n", self.text(), token.to_string());
        fs::write(&self.0, &text)?;
        Ok(text.lines().count())
    }

    /// The number of the line with this token.
    pub(crate) fn find(&self, token: impl ToString) -> Option<usize> {
        let token = token.to_string();
        self.text().lines().position(|line| line.starts_with(&token)).map(|index| index + 1)
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(&self.0).unwrap_or_default()
    }
}
