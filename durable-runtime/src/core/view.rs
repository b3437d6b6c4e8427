//! `state.json`: what the session is and where it stands, for readers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::handoff::Inventory;
use super::memory::{Artifact, Remembered};
use super::record::{BEYOND, FORMAT, Stored};
use super::state::State;
use super::text;

/// The content of `state.json`. A view: the log decides. It is read at boot only for what a log that was deleted or
/// trimmed can no longer say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateView {
    /// Who the session is.
    pub identity: String,
    /// That of the last boot record.
    pub session_iteration: u64,
    /// `awake` or `dormant`.
    pub status: String,
    /// The goal, if one is known.
    pub goal: Option<String>,
    /// What the session remembers.
    pub memory: Memory,
    /// The last completed action.
    pub last_action: Option<String>,
    /// How many steps have their result, and the newest result.
    #[serde(default)]
    pub running_result: Option<String>,
    /// What comes next.
    pub next_action: Option<String>,
    /// What must never be done again, or is not known yet.
    pub open_invariants: Vec<String>,
    /// What the library needs to find a lost log.
    pub durable: Durable,
}

/// The seed's two lists, and what is remembered beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The last completed actions, oldest first, at most twenty.
    pub actions_taken: Vec<String>,
    /// The names of what was made, oldest first.
    pub artifacts: Vec<String>,
    /// What more is known of some of them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub described: Vec<Artifact>,
    /// The values that are remembered, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub values: BTreeMap<String, Stored>,
}

impl Memory {
    fn of(actions_taken: Vec<String>, remembered: &Remembered) -> Self {
        let artifacts = remembered.artifacts();
        let is_described = |artifact: &&&Artifact| artifact.digest.is_some() || artifact.about.is_some();
        Self {
            actions_taken,
            described: artifacts.iter().filter(is_described).map(|&artifact| artifact.clone()).collect(),
            artifacts: artifacts.into_iter().map(|artifact| artifact.name.clone()).collect(),
            values: remembered.values().map(|(name, value)| (name.to_owned(), value.clone())).collect(),
        }
    }

    /// What was made, oldest first, with all that is known of it.
    pub fn made(&self) -> impl Iterator<Item = Artifact> {
        let described = |name: &String| self.described.iter().find(|artifact| artifact.name == *name).cloned();
        self.artifacts.iter().map(move |name| described(name).unwrap_or_else(|| Artifact::new(name)))
    }
}

/// See [`StateView::durable`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durable {
    /// Version of the format.
    pub format: u32,
    /// Id of the session.
    pub session: Uuid,
    /// The last record that this view knows.
    pub seq: u64,
    /// The last record that was known to be synced when this view was written.
    pub synced: u64,
    /// Process id of the holder, for messages only.
    pub pid: u32,
}

impl StateView {
    /// Whether a session can come so far: a view that a hand has written may say anything.
    pub fn is_reachable(&self) -> bool {
        [self.session_iteration, self.durable.seq, self.durable.synced].iter().all(|&number| number < BEYOND)
    }

    /// The view of a state, of which everything up to `synced` is durable, for the process `pid`.
    ///
    /// What it says of the past and of the next action is what the handoff says: both are the same letter.
    pub fn of(state: &State, synced: u64, pid: u32) -> Self {
        let inventory = Inventory::of(state);
        let taken = state.recent.iter().map(|action| text::clean(&action.key, KEY));
        Self {
            identity: state.identity.clone(),
            session_iteration: state.iteration,
            status: state.status.as_str().to_owned(),
            goal: inventory.goal,
            memory: Memory::of(taken.collect(), &state.memory),
            last_action: inventory.last_action,
            running_result: inventory.running_result,
            next_action: inventory.next_action,
            open_invariants: inventory.open_invariants,
            durable: Durable { format: FORMAT, session: state.session, seq: state.seq, synced, pid },
        }
    }
}

/// Any valid key in full, its invisible characters escaped.
const KEY: usize = 2_000;
