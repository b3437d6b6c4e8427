//! What a session remembers for those who work in it: values by their names, and what was made.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::noted::Seen;
use super::record::{self, Stored};

/// How many values are remembered at most.
pub const VALUES: usize = 100;

/// How many things that were made.
pub const ARTIFACTS: usize = 500;

/// How long a name may be, in bytes.
pub const NAME: usize = 480;

/// How large one of either may be, in bytes as it is stored, with its name.
pub const ONE: usize = 16 * 1024;

/// How large all of it may be, in bytes.
pub const ALL: usize = 128 * 1024;

/// The name of the value that says how the work is started again, for whoever has to: a command, as text. The handoff shows it.
pub const STARTED_BY: &str = "started by";

/// Something that was made: a file, a page, a release.
///
/// Known by its name. The same name with another digest is something new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Artifact {
    /// A path or a name.
    pub name: String,
    /// Digest of its content, in the words of whoever made it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
    /// What it is, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub about: Option<String>,
}

impl Artifact {
    /// Something of this name, or at this path.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), digest: None, about: None }
    }

    /// Adds a digest of its content, such as `sha256:..`.
    #[must_use]
    pub fn digest(mut self, digest: impl Into<String>) -> Self {
        self.digest = Some(digest.into());
        self
    }

    /// Adds what it is, in words.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = Some(about.into());
        self
    }

    fn size(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        self.name.len() + length(&self.digest) + length(&self.about)
    }
}

impl From<&str> for Artifact {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for Artifact {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// All that is remembered. What is forgotten is gone from here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remembered {
    values: BTreeMap<String, Entry<Stored>>,
    artifacts: BTreeMap<String, Entry<Artifact>>,
    size: usize,
}

/// Something that is remembered, and the record that says so.
#[derive(Clone, Debug, PartialEq)]
struct Entry<T> {
    what: T,
    seq: u64,
}

/// Which bound something would go beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// [`VALUES`].
    Values,
    /// [`ARTIFACTS`].
    Artifacts,
    /// [`NAME`], or there is none.
    Name,
    /// [`ONE`]: it has so many bytes.
    One(usize),
    /// [`ALL`]: all would have so many.
    All(usize),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values => {
                write!(f, "a session remembers {VALUES} values at most: `remove` one, or put several into one")
            }
            Self::Artifacts => {
                write!(
                    f,
                    "a session remembers {ARTIFACTS} artifacts at most: `remove_artifact` one that is no longer needed"
                )
            }
            Self::Name => write!(f, "a name has 1 to {NAME} bytes, and not spaces alone"),
            Self::One(size) => {
                write!(f, "it takes {size} bytes, and one may take {ONE}: keep it in a file, and remember the path")
            }
            Self::All(size) => {
                write!(
                    f,
                    "all that is remembered would take {size} bytes, and {ALL} is the most: `remove` what is no longer needed"
                )
            }
        }
    }
}

impl Remembered {
    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.artifacts.is_empty()
    }

    /// The value of this name.
    pub fn value(&self, name: &str) -> Option<&Stored> {
        self.values.get(name).map(|entry| &entry.what)
    }

    /// How the work is started again, if somebody has said it: see [`STARTED_BY`].
    pub fn started_by(&self) -> Option<String> {
        serde_json::from_str(self.value(STARTED_BY)?.get()).ok()
    }

    /// The values by name.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Stored)> {
        self.values.iter().map(|(name, entry)| (name.as_str(), &entry.what))
    }

    /// What was made, the oldest first.
    pub fn artifacts(&self) -> Vec<&Artifact> {
        let mut entries: Vec<_> = self.artifacts.values().collect();
        entries.sort_by_key(|entry| entry.seq);
        entries.into_iter().map(|entry| &entry.what).collect()
    }

    /// Whether a record is the one that says what is remembered.
    pub fn is_current(&self, seq: u64, event: &record::Event) -> bool {
        let current = match event {
            record::Event::Memory(memory) => self.values.get(&memory.name).map(|entry| entry.seq),
            record::Event::Artifact(artifact) => self.artifacts.get(&artifact.name).map(|entry| entry.seq),
            _ => None,
        };
        current == Some(seq)
    }

    /// Whether a value, or that there is none, has to be written.
    pub fn is_news(&self, name: &str, value: Option<&Stored>, seen: Seen) -> bool {
        is_news(self.values.get(name), value, seen)
    }

    /// Whether something that was made, or that it is to be forgotten, has to be written.
    pub fn is_made_news(&self, name: &str, artifact: Option<&Artifact>, seen: Seen) -> bool {
        is_news(self.artifacts.get(name), artifact, seen)
    }

    /// Whether there is room for a value.
    ///
    /// # Errors
    ///
    /// Fails with the bound that it would go beyond.
    pub fn admit(&self, name: &str, value: &Stored) -> Result<(), Bound> {
        let old = self.values.get(name).map(|entry| name.len() + entry.what.get().len());
        if old.is_none() && self.values.len() >= VALUES {
            return Err(Bound::Values);
        }
        self.has_room(name, name.len() + value.get().len(), old)
    }

    /// Whether there is room for something that was made.
    ///
    /// # Errors
    ///
    /// Fails with the bound that it would go beyond.
    pub fn admit_made(&self, artifact: &Artifact) -> Result<(), Bound> {
        let old = self.artifacts.get(&artifact.name).map(|entry| entry.what.size());
        if old.is_none() && self.artifacts.len() >= ARTIFACTS {
            return Err(Bound::Artifacts);
        }
        self.has_room(&artifact.name, artifact.size(), old)
    }

    /// Whether there is room for what a record is to say.
    pub fn has_room_for(&self, event: &record::Event) -> bool {
        match event {
            record::Event::Memory(memory) => {
                memory.value.as_ref().is_none_or(|value| self.admit(&memory.name, value).is_ok())
            }
            record::Event::Artifact(made) => self.admit_made(&made.artifact()).is_ok(),
            _ => true,
        }
    }

    fn has_room(&self, name: &str, size: usize, old: Option<usize>) -> Result<(), Bound> {
        let all = self.size - old.unwrap_or(0) + size;
        match () {
            () if name.trim().is_empty() || name.len() > NAME => Err(Bound::Name),
            () if size > ONE => Err(Bound::One(size)),
            () if all > ALL => Err(Bound::All(all)),
            () => Ok(()),
        }
    }

    pub(super) fn remember(&mut self, seq: u64, memory: &record::Memory) {
        let name = &memory.name;
        let old = self.values.remove(name);
        self.size -= old.map_or(0, |old| name.len() + old.what.get().len());
        if let Some(value) = &memory.value {
            self.size += name.len() + value.get().len();
            self.values.insert(name.clone(), Entry { what: value.clone(), seq });
        }
    }

    pub(super) fn made(&mut self, seq: u64, made: &record::Artifact) {
        let old = self.artifacts.remove(&made.name);
        self.size -= old.map_or(0, |old| old.what.size());
        if !made.forgotten {
            let what = made.artifact();
            self.size += what.size();
            self.artifacts.insert(made.name.clone(), Entry { what, seq });
        }
    }
}

impl record::Artifact {
    fn artifact(&self) -> Artifact {
        Artifact { name: self.name.clone(), digest: self.digest.clone(), about: self.about.clone() }
    }
}

/// What is the same is not written again. Nor is what the run has noted before, unless it was the last to say so and says
/// something else now: its code has changed.
fn is_news<T: PartialEq>(now: Option<&Entry<T>>, wanted: Option<&T>, seen: Seen) -> bool {
    let differs = now.map(|entry| &entry.what) != wanted;
    match seen {
        Seen::Never => differs,
        Seen::Newest(seq) => differs && now.is_some_and(|entry| entry.seq == seq),
        Seen::Before => false,
    }
}
