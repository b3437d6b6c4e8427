//! What a session leaves on disk, read as anybody can who has the files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use durable_runtime::core::view::StateView;
use serde_json::Value;

/// The directory of a session.
#[derive(Clone, Debug)]
pub struct SessionFiles(PathBuf);

impl SessionFiles {
    /// The session in this directory, which need not exist yet.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self(dir.into())
    }

    /// Where one of its files is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.0
    }

    /// The journal's lines. What a kill has cut short is no line.
    pub fn journal(&self) -> Vec<Value> {
        let text = self.text("journal.jsonl").unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        whole.lines().map(|line| serde_json::from_str(line).expect("the journal's lines are JSON")).collect()
    }

    /// The journal's lines with this action.
    pub fn records(&self, action: &str) -> Vec<Value> {
        self.journal().into_iter().filter(|record| record["action"] == action).collect()
    }

    /// The journal's lines that say what became of this step; not those that name it as the cause of a stop.
    pub fn records_of(&self, full_key: &str) -> Vec<Value> {
        let is_cause = |record: &Value| record["action"] == "stopped" || record["action"] == "refused";
        self.journal().into_iter().filter(|record| record["key"] == full_key && !is_cause(record)).collect()
    }

    /// The keys that the journal says were reserved.
    pub fn reserved(&self) -> BTreeSet<String> {
        let key = |record: Value| record["key"].as_str().map(str::to_owned);
        self.records("reserve").into_iter().filter_map(key).collect()
    }

    /// The keys that the registry names; `None` if it is not there.
    pub fn registry(&self) -> Option<Vec<String>> {
        let text = self.text("idempotency.json")?;
        Some(serde_json::from_str(&text).expect("idempotency.json is an array of strings at any moment"))
    }

    /// The state; `None` if it is not there.
    pub fn state(&self) -> Option<StateView> {
        let text = self.text("state.json")?;
        Some(serde_json::from_str(&text).expect("state.json can be read at any moment"))
    }

    /// The letter as it stands; `None` if there is none.
    pub fn handoff(&self) -> Option<String> {
        self.text("handoff.md")
    }

    /// The lines under a heading of the letter.
    pub fn section(&self, heading: &str) -> Vec<String> {
        let letter = self.handoff().unwrap_or_default();
        let under = letter.lines().skip_while(|line| line.strip_prefix("## ") != Some(heading)).skip(1);
        under.take_while(|line| !line.starts_with("## ")).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// Every file and its bytes.
    pub fn bytes(&self) -> BTreeMap<String, Vec<u8>> {
        let files = fs::read_dir(&self.0).expect("the session's directory can be listed");
        let named = |file: fs::DirEntry| file.file_name().into_string().expect("names of a session's files are text");
        let read = |name: String| (name.clone(), fs::read(self.path(&name)).expect("a session's files can be read"));
        files.map(|file| read(named(file.expect("the directory can be listed")))).collect()
    }

    fn text(&self, name: &str) -> Option<String> {
        match fs::read(self.path(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            bytes => Some(String::from_utf8_lossy(&bytes.expect("a session's files can be read")).into_owned()),
        }
    }
}
