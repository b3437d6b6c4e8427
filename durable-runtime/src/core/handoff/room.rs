//! How much of each thing a page shows, and how: keys in code spans, words plain where they are harmless.

use super::letter::{Keys, Named};
use crate::core::record::Stored;
use crate::core::text;

/// How much room each thing is given, in bytes or entries.
pub(super) struct Room {
    identity: usize,
    goal: usize,
    title: usize,
    key: usize,
    value: usize,
    error: usize,
    /// The one key that a person must be able to copy.
    literal: usize,
    /// Entries of a list.
    pub(super) list: usize,
    /// Things that happened.
    pub(super) happened: usize,
    /// Things to do.
    pub(super) next: usize,
}

/// From ample to least: the first that fits on the page is taken, and the last always fits.
pub(super) const ROOMS: [Room; 3] = [
    Room {
        identity: 60,
        goal: 240,
        title: 120,
        key: 160,
        value: 120,
        error: 240,
        literal: 1_800,
        list: 4,
        happened: 4,
        next: 4,
    },
    Room {
        identity: 60,
        goal: 120,
        title: 60,
        key: 80,
        value: 60,
        error: 120,
        literal: 1_800,
        list: 2,
        happened: 3,
        next: 2,
    },
    Room {
        identity: 40,
        goal: 80,
        title: 40,
        key: 64,
        value: 40,
        error: 80,
        literal: 600,
        list: 1,
        happened: 2,
        next: 1,
    },
];

impl Room {
    pub(super) fn identity(&self, identity: &str) -> String {
        text::words(identity, self.identity)
    }

    pub(super) fn goal(&self, goal: &str) -> String {
        text::words(goal, self.goal)
    }

    pub(super) fn title(&self, title: &str) -> String {
        text::words(title, self.title)
    }

    pub(super) fn key(&self, key: &str) -> String {
        text::key(key, self.key)
    }

    pub(super) fn error(&self, error: &str) -> String {
        text::quoted_at_both_ends(error, self.error)
    }

    /// A name that somebody gave.
    pub(super) fn claimed(&self, name: &str) -> String {
        text::quoted(name, self.title)
    }

    pub(super) fn value(&self, value: &Stored) -> String {
        match value.apart() {
            Some(apart) => format!("of {}, kept in `blobs/{}`", count(apart.len, "byte", "bytes"), apart.name),
            None => text::quoted(value.get(), self.value),
        }
    }

    /// What is shown to whoever decides: the one value that has to be read.
    pub(super) fn shown(&self, json: &str) -> String {
        text::quoted(json, 2 * self.value)
    }

    /// The key as code, if it fits.
    pub(super) fn literal(&self, key: &str) -> Option<String> {
        text::literal(key, self.literal)
    }

    /// A key, and in brackets what it does.
    pub(super) fn named(&self, what: &Named) -> String {
        let title = what.title.as_ref().map(|title| format!(" ({})", self.title(title)));
        self.key(&what.key) + &title.unwrap_or_default()
    }

    /// Some keys, and how many more there are.
    pub(super) fn keys(&self, keys: &Keys) -> String {
        let shown: Vec<_> = keys.shown.iter().take(self.list).map(|key| self.key(key)).collect();
        match keys.count - shown.len() as u64 {
            0 => shown.join(", "),
            more => format!("{} and {more} more, which the journal names", shown.join(", ")),
        }
    }
}

/// A number and what is counted.
pub(super) fn count<N: std::fmt::Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    let noun = if number == N::from(1) { one } else { many };
    format!("{number} {noun}")
}

/// The text with a full stop, unless it ends with one of its own.
pub(super) fn sentence(text: &str) -> String {
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{text}{stop}")
}
