//! What a victim is told, as its only argument, and what it reports, as its last line.

use std::path::PathBuf;

use durable_runtime::{Error, Session};
use serde::{Deserialize, Serialize};

use crate::stage::Fate;
use crate::workflows::Workflow;

/// What a victim is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Orders {
    /// Directory of the session.
    pub session: PathBuf,
    /// The world's file.
    pub world: PathBuf,
    /// What to run; `None` to boot and close.
    pub workflow: Option<Workflow>,
    /// What befalls it.
    pub fate: Fate,
    /// Whether verifiers get no answer.
    pub world_is_down: bool,
    /// What to say about effects in doubt, before anything is run.
    pub answers: Vec<Answer>,
}

/// A person's word.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Full key.
    pub key: String,
    /// What it gave; `None` if it did not happen.
    pub value: Option<u64>,
}

/// What a victim reports if it lives to the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// How many disk operations there were.
    pub operations: u64,
    /// What the workflow returned, if it did.
    pub result: Option<Vec<u64>>,
}

impl Answer {
    /// Gives it.
    ///
    /// # Errors
    ///
    /// Fails if nothing is asked about the key.
    pub async fn give(&self, session: &Session) -> Result<(), Error> {
        let question = session.resolve(&self.key);
        let answer = match &self.value {
            Some(value) => question.happened(value),
            None => question.did_not_happen(),
        };
        answer.by("the test", "the world's file says so").await
    }
}
