//! What is printed: text for a person or JSON for a program, and never anything that a terminal obeys.

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use durable_runtime::core::text;
use serde::Serialize;
use serde_json::json;

use crate::exit::Exit;
use crate::failure::Failure;

/// Where a command speaks.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    is_json: bool,
    is_colored: bool,
    is_terminal: bool,
}

/// How a piece of text looks where colours are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// A headline.
    Bold,
    /// Of less importance.
    Faint,
    /// All is well.
    Good,
    /// It waits, or somebody is to start it.
    Attention,
    /// It needs a person.
    Bad,
}

impl Output {
    /// Speaks to standard output.
    pub(crate) fn new(is_json: bool) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let is_plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { is_json, is_colored: is_terminal && !is_json && !is_plain, is_terminal }
    }

    /// Whether a program reads it.
    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// Whether a person sees it as it comes.
    pub(crate) fn is_live(&self) -> bool {
        self.is_terminal && !self.is_json
    }

    /// Gives the whole answer: the one for a program or the one for a person. Whoever reads no more has read enough, and the exit
    /// code is what it is.
    pub(crate) fn answer(&self, json: &impl Serialize, text: impl Display) -> Result<(), Failure> {
        match if self.is_json { self.json(json) } else { self.text(text) } {
            Ok(()) | Err(Failure { text: None, .. }) => Ok(()),
            Err(Failure { exit, text: Some(why) }) => {
                Err(Failure::new(exit, format!("what was asked for is done; {why}")))
            }
        }
    }

    /// One line of JSON.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), Failure> {
        let line = serde_json::to_string(value).map_err(io::Error::other)?;
        self.text(seen(&line))
    }

    /// Text that ends with one end of a line.
    pub(crate) fn text(&self, text: impl Display) -> Result<(), Failure> {
        let text = text.to_string();
        let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
        let mut out = io::stdout().lock();
        write!(out, "{text}{end}")?;
        Ok(out.flush()?)
    }

    /// Says why the command ends early; where a program reads, to it too.
    pub(crate) fn fail(&self, failure: &Failure) -> Exit {
        let Some(text) = &failure.text else { return failure.exit };
        say(text);
        if self.is_json {
            self.json(&json!({ "outcome": failure.exit.word(), "exit": failure.exit.code(), "error": text })).ok();
        }
        failure.exit
    }

    /// The text in a style, where styles are shown.
    pub(crate) fn styled(&self, style: Style, text: impl Display) -> String {
        if self.is_colored { format!("\u{1b}[{}m{text}\u{1b}[0m", style.code()) } else { text.to_string() }
    }
}

/// Says something on standard error. There is nobody left to tell if that cannot be written.
pub(crate) fn say(text: &str) {
    writeln!(io::stderr(), "durable: {}", text::clean(text, usize::MAX)).ok();
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Bold => "1",
            Self::Faint => "2",
            Self::Good => "32",
            Self::Attention => "33",
            Self::Bad => "31",
        }
    }
}

/// The text of a value or an error, on one line that a terminal shows as it is.
pub(crate) fn shown(text: &str, max: usize) -> String {
    text::clean(text, max)
}

/// The same of what others have said: it is seen where their words begin and end.
pub(crate) fn quoted(text: &str, max: usize) -> String {
    format!("`{}`", shown(text, max))
}

/// A key, as it stands in the log but for what a terminal would obey: it is to be copied whole.
pub(crate) fn key(key: &str) -> String {
    text::clean(key, usize::MAX)
}

/// JSON in which every character is seen: what a terminal would obey can stand only in strings, and is escaped there.
pub(crate) fn seen(json: &str) -> String {
    let mut seen = String::with_capacity(json.len());
    for c in json.chars() {
        if text::is_hidden(c) {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| seen.push_str(&format!("\\u{unit:04x}")));
        } else {
            seen.push(c);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_when_nothing_in_it_is_obeyed() {
        let hostile = "a\n\u{1b}[2J\u{9b}31m\u{202e}\u{e0041}\u{7f}ä";
        let written = seen(&serde_json::to_string(hostile).unwrap());
        assert!(!written.chars().any(text::is_hidden), "{written}");
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), hostile);
    }
}
