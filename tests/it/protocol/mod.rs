//! The protocol beside the steps: what is taken stock of and remembered, the budget, the pace, the goal, and when a checkpoint
//! is written.

mod audit;
mod boot;
mod entropy;
mod goal;
mod memory;
mod said;
mod secrets;
mod triggers;

use std::fs;
use std::path::{Path, PathBuf};

use durable_runtime::prelude::*;
use serde_json::Value;

/// The directory of one session, which does not exist yet.
struct Place {
    _root: tempfile::TempDir,
    dir: PathBuf,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        Self { dir: root.path().join("session"), _root: root }
    }

    async fn open(&self) -> Session {
        Session::builder(&self.dir).identity("writer").open().await.unwrap()
    }

    fn state(&self) -> Value {
        serde_json::from_slice(&fs::read(self.dir.join("state.json")).unwrap()).unwrap()
    }

    fn handoff(&self) -> String {
        fs::read_to_string(self.dir.join("handoff.md")).unwrap().trim_end().to_owned()
    }

    fn registry(&self) -> Vec<String> {
        serde_json::from_slice(&fs::read(self.dir.join("idempotency.json")).unwrap()).unwrap()
    }

    /// The records of the journal.
    fn journal(&self) -> Vec<Value> {
        journal(&self.dir)
    }
}

fn journal(dir: &Path) -> Vec<Value> {
    lines(&dir.join("journal.jsonl"))
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
