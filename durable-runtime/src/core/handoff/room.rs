//! How much of each thing a page shows, and how: keys in code spans, words plain where they are harmless.

use std::fmt::{self, Display, Formatter, from_fn};

use super::letter::{Keys, Named};
use crate::core::record::{Stored, Withheld};
use crate::core::text::{self, Shown, count};

/// How much room each thing is given, in bytes or entries.
#[derive(Clone)]
pub(super) struct Room {
    /// Where the reader is to type what there is to type: see [`Handoff::typed_here`](super::Handoff::typed_here).
    typed: Typed,
    identity: usize,
    goal: usize,
    title: usize,
    key: usize,
    value: usize,
    error: usize,
    /// The one key that a person must be able to copy.
    word: usize,
    /// Entries of a list.
    pub(super) list: usize,
    /// Things that happened.
    pub(super) happened: usize,
    /// Things to do.
    pub(super) next: usize,
}

/// Where a command is typed.
#[derive(Clone, Debug, Default)]
pub(super) enum Typed {
    /// In the directory of the session, which a command finds by itself there.
    #[default]
    InItsDirectory,
    /// Where the reader is, with this name for the session, if it needs one.
    Here(Option<String>),
}

/// From ample to least: the first that fits on the page is taken, and the last always fits.
pub(super) const ROOMS: [Room; 3] = [
    Room {
        typed: Typed::InItsDirectory,
        identity: 60,
        goal: 240,
        title: 120,
        key: 160,
        value: 120,
        error: 240,
        word: 1_800,
        list: 4,
        happened: 4,
        next: 4,
    },
    Room {
        typed: Typed::InItsDirectory,
        identity: 60,
        goal: 120,
        title: 60,
        key: 80,
        value: 60,
        error: 120,
        word: 1_800,
        list: 2,
        happened: 3,
        next: 2,
    },
    Room {
        typed: Typed::InItsDirectory,
        identity: 40,
        goal: 80,
        title: 40,
        key: 64,
        value: 40,
        error: 80,
        word: 600,
        list: 1,
        happened: 2,
        next: 1,
    },
];

impl Room {
    /// The same room for whoever types there.
    pub(super) fn typed(&self, typed: &Typed) -> Self {
        Self { typed: typed.clone(), ..self.clone() }
    }

    /// Where a command is typed, in words.
    pub(super) fn place(&self) -> &'static str {
        match &self.typed {
            Typed::InItsDirectory => "typed in this directory",
            Typed::Here(_) => "typed here",
        }
    }

    /// The session's name in a command, behind a space.
    pub(super) fn session(&self) -> String {
        match &self.typed {
            Typed::Here(Some(dir)) => format!(" -s {}", text::shell(dir)),
            Typed::InItsDirectory | Typed::Here(None) => String::new(),
        }
    }

    /// A command that needs nothing but the session, as it can be typed.
    pub(super) fn command(&self, name: &str) -> String {
        text::code_span(&format!("durable {name}{}", self.session()))
    }

    pub(super) fn identity<'a>(&self, identity: &'a str) -> Shown<'a> {
        text::words(identity, self.identity)
    }

    pub(super) fn goal<'a>(&self, goal: &'a str) -> Shown<'a> {
        text::words(goal, self.goal)
    }

    pub(super) fn title<'a>(&self, title: &'a str) -> Shown<'a> {
        text::words(title, self.title)
    }

    pub(super) fn key<'a>(&self, key: &'a str) -> Shown<'a> {
        text::key(key, self.key)
    }

    pub(super) fn error<'a>(&self, error: &'a str) -> Shown<'a> {
        text::quoted_at_both_ends(error, self.error)
    }

    /// A name that somebody gave.
    pub(super) fn claimed<'a>(&self, name: &'a str) -> Shown<'a> {
        text::quoted(name, self.title)
    }

    pub(super) fn value<'a>(&self, value: &'a Stored) -> Shown<'a> {
        if let Some(Withheld { holds, .. }) = value.withheld() {
            return Shown::Made(format!(
                "not kept, since it holds what looks like a secret ({})",
                text::clean(&holds, self.value)
            ));
        }
        match value.apart() {
            Some(apart) => {
                let count = count(apart.len, "byte", "bytes");
                Shown::Made(format!("of {count}, kept in `blobs/{}`", apart.name))
            }
            None => text::quoted(value.get(), self.value),
        }
    }

    /// What is shown to whoever decides: the one value that has to be read.
    pub(super) fn shown<'a>(&self, json: &'a str) -> Shown<'a> {
        text::quoted(json, 2 * self.value)
    }

    /// Whether the key fits as one word of a shell, with the backticks around it that outnumber its own.
    pub(super) fn has_room_for(&self, key: &str) -> bool {
        text::code_span(&text::shell(key)).len() <= self.word
    }

    /// A key, and in brackets what it does.
    pub(super) fn named(&self, what: &Named) -> impl Display {
        let title = what.title.as_deref().map(|title| self.title(title));
        let key = self.key(&what.key);
        from_fn(move |f| {
            write!(f, "{key}")?;
            title.iter().try_for_each(|title| write!(f, " ({title})"))
        })
    }

    /// How many of so many are shown: all, or a few to tell which they are.
    pub(super) fn shown_of(&self, all: usize) -> usize {
        if all > self.list { self.list.min(2) } else { all }
    }

    /// Some keys, and how many more there are.
    pub(super) fn keys(&self, keys: &Keys) -> impl Display {
        from_fn(move |f| {
            let shown = || keys.shown.iter().take(self.shown_of(usize::try_from(keys.count).unwrap_or(usize::MAX)));
            joined(shown().map(|key| self.key(key)), ", ").fmt(f)?;
            match keys.count - shown().len() as u64 {
                0 => Ok(()),
                more => write!(f, " and {more} more, which {} lists", self.command("keys")),
            }
        })
    }
}

/// What there is to say of a thing that may not be there.
pub(super) fn of<T>(thing: Option<T>, say: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result) -> impl Display {
    from_fn(move |f| thing.as_ref().map_or(Ok(()), |thing| say(f, thing)))
}

/// One after another, with this between them.
pub(super) fn joined<T: Display>(items: impl Iterator<Item = T> + Clone, between: &str) -> impl Display {
    from_fn(move |f| {
        items.clone().enumerate().try_for_each(|(place, item)| {
            f.write_str(if place == 0 { "" } else { between })?;
            item.fmt(f)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two commands with such a key, each in a fence as long as the key, have once made a letter of more than a page.
    #[test]
    fn a_key_of_backticks_takes_the_room_of_its_fence_too() {
        let key = "`".repeat(400);
        assert!(ROOMS[0].has_room_for(&key));
        assert!(!ROOMS[2].has_room_for(&key));
        assert!(ROOMS[2].has_room_for(&"k".repeat(400)));
    }
}
