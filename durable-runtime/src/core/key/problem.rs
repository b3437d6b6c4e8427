//! Why a text is no key, in words.

use std::fmt;

use super::MAX_KEY_JSON;

/// Why a text is no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyProblem {
    /// This hole, counted from 0, held an empty text.
    EmptyHole(usize),
    /// It is too long; this many bytes of JSON.
    TooLong(usize),
    /// It holds something that no key can.
    Reserved(String),
    /// It holds a secret.
    Secret(String),
}

impl fmt::Display for KeyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyHole(index) => write!(f, "its hole number {} {EMPTY}", index + 1),
            Self::TooLong(bytes) => write!(
                f,
                "the key has {bytes} bytes as JSON, {MAX_KEY_JSON} at most, with those of the runs around it: put an id into the hole, not the text itself"
            ),
            Self::Reserved(what) => write!(f, "a key cannot hold {what}"),
            Self::Secret(what) => write!(
                f,
                "the key holds what looks like a secret ({what}), and would be written into every file of the session: put an id into the hole; or, if it is none, write `secrets = \"allow\"` beside the key"
            ),
        }
    }
}

/// Why no hole may be empty, and what to do.
const EMPTY: &str = "is empty, so two different things could share the key: fill it with what names the thing, or leave the step out where there is none";

impl KeyProblem {
    /// The problem in words, for whoever knows the template: a hole is called what it is called there.
    pub fn in_template(&self, template: &str) -> String {
        match self {
            Self::EmptyHole(index) => match hole(template, *index) {
                Some(hole) => format!("its hole `{hole}` {EMPTY}"),
                None => self.to_string(),
            },
            Self::TooLong(_) | Self::Reserved(_) | Self::Secret(_) => self.to_string(),
        }
    }
}

/// A hole of a template as it is written, braces included.
fn hole(template: &str, index: usize) -> Option<&str> {
    let mut chars = template.char_indices().peekable();
    let mut begins = None;
    let mut holes = Vec::new();
    while let Some((at, c)) = chars.next() {
        match (c, begins) {
            ('{', None) if chars.next_if(|(_, next)| *next == '{').is_none() => begins = Some(at),
            ('}', Some(begin)) => {
                holes.push(&template[begin..=at]);
                begins = None;
            }
            _ => {}
        }
    }
    holes.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_hole_is_called_what_it_is_called_in_its_template() {
        let told = |template, index| KeyProblem::EmptyHole(index).in_template(template);
        assert!(told("pay/{id}", 0).starts_with("its hole `{id}` is empty"));
        assert!(told("{{raw}}/{run.name:03}/{1}", 0).starts_with("its hole `{run.name:03}` is empty"));
        assert!(told("{{raw}}/{run.name:03}/{1}", 1).starts_with("its hole `{1}` is empty"));
        assert!(told("plain", 2).starts_with("its hole number 3 is empty"));
    }
}
