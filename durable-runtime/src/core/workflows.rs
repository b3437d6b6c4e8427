//! The workflows of a program, compared while it is compiled.

use super::meta::WorkflowMeta;
use super::outline::Outline;

/// The workflows of a program, no two of one name. Made by [`workflows!`](crate::workflows).
#[derive(Clone, Copy, Debug)]
pub struct Workflows(&'static [&'static WorkflowMeta]);

impl Workflows {
    /// Their outlines, in the order of the list.
    pub fn outlines(self) -> impl Iterator<Item = Outline> {
        self.0.iter().map(|meta| Outline::of(meta))
    }

    /// The outline of the workflow of this name.
    pub fn outline(self, name: &str) -> Option<Outline> {
        self.0.iter().find(|meta| meta.name == name).map(|meta| Outline::of(meta))
    }
}

impl WorkflowMeta {
    /// The outline of the workflow.
    pub fn outline(&self) -> Outline {
        Outline::of(self)
    }

    /// A list of workflows; the receiver only leads here without a path.
    pub const fn with(&self, all: &'static [&'static Self]) -> Workflows {
        Workflows(all)
    }

    /// Refuses a name, or the keys of runs, that a workflow before this one has. It panics while the program is compiled,
    /// and so is a compile error.
    #[track_caller]
    pub const fn differs_from(&self, before: &[&Self]) {
        let mut at = 0;
        while at < before.len() {
            let other = before[at];
            if is_same(self.name, other.name) {
                Sentence::new()
                    .say(&["two workflows are named `", self.name, "`, in `", other.module, "` and in `", self.module])
                    .say(&["`: a session knows a workflow by its name, so rename one of them"])
                    .panic();
            }
            if is_same(self.shape, other.shape) {
                Sentence::new()
                    .say(&[
                        "the workflows `",
                        other.name,
                        "` and `",
                        self.name,
                        "` can have runs of one key, \"",
                        self.key,
                    ])
                    .say(&["\": begin the key of each with a part of its own"])
                    .panic();
            }
            at += 1;
        }
    }
}

/// A text made while the program is compiled, where there is no `format!`.
struct Sentence {
    bytes: [u8; 512],
    len: usize,
}

impl Sentence {
    const fn new() -> Self {
        Self { bytes: [0; 512], len: 0 }
    }

    /// Adds the parts; what is too long for the sentence is left out as a whole.
    const fn say(mut self, parts: &[&str]) -> Self {
        let mut part = 0;
        while part < parts.len() {
            let bytes = parts[part].as_bytes();
            let mut at = 0;
            while at < bytes.len() && self.len + bytes.len() - at <= self.bytes.len() {
                self.bytes[self.len] = bytes[at];
                self.len += 1;
                at += 1;
            }
            part += 1;
        }
        self
    }

    #[track_caller]
    #[expect(clippy::panic, reason = "while the program is compiled, this is how to refuse it")]
    const fn panic(&self) -> ! {
        let (text, _) = self.bytes.split_at(self.len);
        match std::str::from_utf8(text) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("two of these workflows cannot be told apart"),
        }
    }
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}
