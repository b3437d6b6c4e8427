//! `state.json`: what the session is and where it stands, for readers.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::handoff::Handoff;
use super::record::{BEYOND, FORMAT};
use super::state::{State, Status};
use super::text;

/// The content of `state.json`. A view: the log decides. It is read at boot only for what a log that was deleted or
/// trimmed can no longer say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateView {
    /// Who the session is.
    pub identity: String,
    /// Count of boots.
    pub session_iteration: u64,
    /// `awake` or `dormant`.
    pub status: String,
    /// The goal, if one is known.
    pub goal: Option<String>,
    /// What the session remembers.
    pub memory: Memory,
    /// The last completed action.
    pub last_action: Option<String>,
    /// What comes next.
    pub next_action: Option<String>,
    /// What must never be done again, or is not known yet.
    pub open_invariants: Vec<String>,
    /// What the library needs to find a lost log.
    pub durable: Durable,
}

/// The seed's two lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The last completed actions, oldest first, at most twenty.
    pub actions_taken: Vec<String>,
    /// What was made.
    pub artifacts: Vec<String>,
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
        let handoff = Handoff::of(state);
        let taken = state.recent.iter().map(|action| text::clean(&action.key, KEY));
        Self {
            identity: state.identity.clone(),
            session_iteration: state.iteration,
            status: match state.status {
                Status::Awake => "awake",
                Status::Dormant => "dormant",
            }
            .to_owned(),
            goal: handoff.goal().map(|goal| text::clean(goal, GOAL)),
            memory: Memory { actions_taken: taken.collect(), artifacts: Vec::new() },
            last_action: handoff.last_action(),
            next_action: handoff.next_action(),
            open_invariants: handoff.open_invariants(),
            durable: Durable { format: FORMAT, session: state.session, seq: state.seq, synced, pid },
        }
    }
}

/// Any valid key in full, its invisible characters escaped.
const KEY: usize = 2_000;

const GOAL: usize = 1_000;
