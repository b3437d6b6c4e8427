//! Values that stand behind a name such as `password`, in the words of an error or of a receiver.

use std::ops::Range;

use super::spans::{end_of_word, is_word};

/// What the names of values end with that nobody else may read, whatever the value is.
const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "pwd"];

/// The same where the value looks like one: `token` is a word of many other sentences too.
const SECRETS: &[&str] = &[
    "authorization",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "accountkey",
    "encryptionkey",
    "token",
    "secret",
    "cookie",
];

/// Names of headers, whose value goes to the end of the line.
const HEADERS: &[&str] = &["authorization", "cookie"];

/// The values in the text that have such a name: `"token": "..`, `token=..`, `Bearer ..`.
pub(super) fn values(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            if !text[at..].starts_with(is_word) {
                at = text[at..].find(is_word).map_or(text.len(), |len| at + len);
                continue;
            }
            let word = at..end_of_word(text, at);
            at = word.end;
            if let Some(value) = value_of(text, &text[word], at) {
                at = value.end;
                return Some(value);
            }
        }
        None
    })
}

/// The value of this name, which ends at `from`.
fn value_of(text: &str, name: &str, from: usize) -> Option<Range<usize>> {
    if ["bearer", "basic"].iter().any(|scheme| name.eq_ignore_ascii_case(scheme)) && text[from..].starts_with(' ') {
        let value = from + 1..end_of_word(text, from + 1);
        return (value.len() >= 6 && is_secretive(&text[value.clone()])).then_some(value);
    }
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let ends = |names: &[&str]| names.iter().any(|end| name.ends_with(end));
    if !ends(PASSWORDS) && !ends(SECRETS) {
        return None;
    }
    let start = joined(text, from)?;
    let value = start..end_of_value(text, start, ends(HEADERS));
    let shown = &text[value.clone()];
    let is_quoted = text[..start].ends_with(['"', '\'']);
    let is_one = !shown.is_empty()
        && !text[start..].starts_with(super::REDACTED)
        && (ends(PASSWORDS) || ends(HEADERS) || is_quoted || is_secretive(shown));
    is_one.then_some(value)
}

/// Where the value begins behind what makes it one: `=`, `: `, `": "`.
fn joined(text: &str, from: usize) -> Option<usize> {
    let len = text[from..]
        .find(|c: char| !matches!(c, ':' | '=' | ' ' | '"' | '\'' | '\\' | '>'))
        .unwrap_or(text.len() - from);
    let between = &text[from..from + len];
    (between.len() <= 8 && between.contains([':', '='])).then_some(from + len)
}

/// Where the value ends: at its closing quote, if one was opened; else where the next thing begins.
fn end_of_value(text: &str, start: usize, is_header: bool) -> usize {
    let opened = text[..start].chars().next_back().filter(|c| matches!(c, '"' | '\''));
    let mut quote = None;
    let is_end = |c: char| match opened {
        Some(opened) => c == opened || c == '\n' || c == '\\',
        None if is_header => matches!(c, '\n' | '\r' | '"' | '\''),
        None => match quote {
            Some(open) if c == open => {
                quote = None;
                false
            }
            Some(_) => false,
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                false
            }
            None => c.is_whitespace() || matches!(c, ',' | ';' | '&' | '}' | ']' | '<'),
        },
    };
    text[start..].find(is_end).map_or(text.len(), |len| start + len)
}

/// Whether it is made as a secret is, and no word of every day.
fn is_secretive(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
        || value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
        || value.len() >= 20
}
