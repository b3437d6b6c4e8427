//! Values that stand behind a name such as `password`, in the words of an error or of a receiver.

use std::ops::Range;

use super::spans::{end_of_word, is_word};

/// Names in front of values that nobody else may read. Compared without case, `-` and `_`.
const NAMES: &[&str] = &[
    "authorization",
    "apikey",
    "xapikey",
    "token",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "secret",
    "clientsecret",
    "password",
    "passwd",
    "cookie",
    "setcookie",
    "privatekey",
];

/// The values in the text that have such a name: `"token": "..`, `token=..`, `Bearer ..`.
pub(super) fn values(text: &str) -> impl Iterator<Item = Range<usize>> {
    let (mut at, mut names_next) = (0, false);
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at;
            if !text[at..].starts_with(is_word) {
                at = text[at..].find(is_word).map_or(text.len(), |len| at + len);
                names_next &= joins(&text[start..at]);
                continue;
            }
            at = end_of_word(text, at);
            let word = &text[start..at];
            let is_scheme = ["bearer", "basic"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme));
            if is_scheme && text[at..].starts_with(' ') {
                (at, names_next) = (at + 1, true);
                continue;
            }
            let is_value = names_next;
            names_next = is_telling(word);
            // What was redacted before stays as it is.
            if is_value && !(word == "redacted" && text[..start].ends_with('[')) {
                return Some(start..at);
            }
        }
        None
    })
}

/// Whether what stands between a name and a word makes that its value.
fn joins(between: &str) -> bool {
    between.contains([':', '=']) && !between.contains(['\n', ',', ';', '&', '{', '}'])
}

fn is_telling(word: &str) -> bool {
    let name: String = word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    NAMES.contains(&name.as_str())
}
