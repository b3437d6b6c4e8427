//! The world outside: a file that outlives whoever acts on it, and knows what was done to it.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use durable_runtime::StepKey;
use durable_runtime::core::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::stage::{Moment, Stage};

/// Something that was done to the world, or that a workflow saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// A call came in.
    Called,
    /// Its effect was applied.
    Applied,
    /// A verifier asked for it.
    Asked,
    /// Something was read.
    Read,
    /// A step gave its workflow this value.
    Seen,
}

/// One line of the world's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What was done.
    pub act: Act,
    /// The step's own key, without its run.
    pub key: String,
    /// The token that came with it, if one did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub token: Option<String>,
    /// When the attempt behind it was reserved, if it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reserved_at: Option<Timestamp>,
    /// What it gave, if it gave something.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<u64>,
}

/// The world's file: JSON lines, appended to. One write each, so no kill leaves half a line.
#[derive(Clone, Debug)]
pub struct Ledger(PathBuf);

impl Ledger {
    /// The ledger in this file, which need not exist yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Everything that was done, oldest first.
    pub fn entries(&self) -> Vec<Entry> {
        let text = match fs::read_to_string(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.expect("the world can be read"),
        };
        text.lines().map(|line| serde_json::from_str(line).expect("the world's lines are whole")).collect()
    }

    /// How often this was done for the key: for [`Act::Applied`], n(key).
    pub fn count(&self, act: Act, key: &str) -> usize {
        self.values(act, key).len()
    }

    /// What it gave for the key, each time.
    pub fn values(&self, act: Act, key: &str) -> Vec<Option<u64>> {
        self.of(act, key).map(|entry| entry.value).collect()
    }

    /// Whether the attempt that was reserved then is among the calls for the key.
    pub fn was_called(&self, key: &str, reserved_at: Timestamp) -> bool {
        self.of(Act::Called, key).any(|entry| entry.reserved_at == Some(reserved_at))
    }

    /// What the effect of the key gave, if it was applied.
    pub fn applied(&self, key: &str) -> Option<u64> {
        self.values(Act::Applied, key).into_iter().flatten().next()
    }

    fn of(&self, act: Act, key: &str) -> impl Iterator<Item = Entry> {
        self.entries().into_iter().filter(move |entry| entry.act == act && entry.key == key)
    }

    /// What was applied with this token gave this, if something was.
    fn with_token(&self, token: &str) -> Option<u64> {
        let is_it = |entry: &Entry| entry.act == Act::Applied && entry.token.as_deref() == Some(token);
        self.entries().into_iter().find(is_it)?.value
    }

    fn total(&self, act: Act) -> u64 {
        self.entries().iter().filter(|entry| entry.act == act).count() as u64
    }

    fn write(&self, entry: &Entry) -> io::Result<()> {
        let line = serde_json::to_string(entry)? + "\n";
        OpenOptions::new().append(true).create(true).open(&self.0)?.write_all(line.as_bytes())
    }
}

/// The world as a worker reaches it.
#[derive(Debug)]
pub struct World {
    ledger: Ledger,
    stage: Stage,
    is_down: bool,
}

/// The world does not answer.
#[derive(Debug)]
pub struct Down;

impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the world is down")
    }
}

impl World {
    /// The world of this ledger, on a stage that says when the worker dies. One that is down answers no verifier.
    pub fn new(ledger: Ledger, stage: Stage, is_down: bool) -> Self {
        Self { ledger, stage, is_down }
    }

    /// Does it, and again with every call. Gives how much was done in the whole world until then.
    pub async fn book(&self, key: &StepKey) -> u64 {
        self.call(key, || None).await
    }

    /// Does it once: a repeat, known by its token, is dropped, and gets the answer of the first.
    pub async fn book_once(&self, key: &StepKey) -> u64 {
        self.call(key, || self.ledger.with_token(&key.token().to_string())).await
    }

    /// Whether it was done, and what it gave.
    ///
    /// # Errors
    ///
    /// Fails if the world is down.
    pub async fn find(&self, key: &StepKey) -> Result<Option<u64>, Down> {
        self.note(Act::Asked, key, None);
        if self.is_down { Err(Down) } else { Ok(self.ledger.with_token(&key.token().to_string())) }
    }

    /// Looks at something that has changed whenever one looks again.
    pub async fn look(&self, key: &StepKey) -> u64 {
        let value = self.ledger.total(Act::Read) + 1;
        self.note(Act::Read, key, Some(value));
        self.stage.comes(Moment::Applied, own(key)).await;
        value
    }

    /// The workflow has the step's value: it is recorded.
    pub async fn see(&self, key: &str, value: u64) {
        let (act, key) = (Act::Seen, key.to_owned());
        let entry = Entry { act, key, token: None, reserved_at: None, value: Some(value) };
        self.ledger.write(&entry).expect("the world can be written");
        self.stage.comes(Moment::Recorded, &entry.key).await;
    }

    async fn call(&self, key: &StepKey, known: impl Fn() -> Option<u64>) -> u64 {
        self.stage.comes(Moment::Reserved, own(key)).await;
        self.note(Act::Called, key, None);
        self.stage.comes(Moment::Called, own(key)).await;
        let value = known().unwrap_or_else(|| {
            let value = self.ledger.total(Act::Applied) + 1;
            self.note(Act::Applied, key, Some(value));
            value
        });
        self.stage.comes(Moment::Applied, own(key)).await;
        // The answer travels: others get a turn.
        tokio::task::yield_now().await;
        self.stage.comes(Moment::Answered, own(key)).await;
        value
    }

    fn note(&self, act: Act, key: &StepKey, value: Option<u64>) {
        let (token, reserved_at) = (Some(key.token().to_string()), key.reserved_at().map(Timestamp::from));
        let entry = Entry { act, key: own(key).to_owned(), token, reserved_at, value };
        self.ledger.write(&entry).expect("the world can be written");
    }
}

/// The step's own key, without its run.
fn own(key: &StepKey) -> &str {
    let full = key.as_str();
    full.rsplit_once("//").map_or(full, |(_, own)| own)
}
