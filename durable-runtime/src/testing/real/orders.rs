//! What is said between the process of a lab and its children.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::strike::Strike;
use crate::core::time::Timestamp;
use crate::testing::life::{Answers, End, Lived};
use crate::testing::machine::trace::Traced;

/// What a child is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Orders {
    /// The name of the lab.
    pub(super) lab: String,
    /// Where its sessions, its world and its report are.
    pub(super) root: PathBuf,
    pub(super) is_inline: bool,
    /// Where the child kills itself, if it does.
    pub(super) kill: Option<Strike>,
    pub(super) now: Timestamp,
    pub(super) answers: Vec<Answer>,
}

/// What a person says about a key. A list, since JSON has no other keys than texts, and does not tell a value that is
/// `null` from none.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    session: String,
    key: String,
    happened: bool,
    value: Value,
}

/// What a child says that has lived to its end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Said {
    end: Ended,
    asked: Vec<(String, String)>,
    pub(super) operations: Vec<(String, String)>,
    pub(super) calls: u64,
    /// Whether one of the calls asked for an effect.
    pub(super) has_acted: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Ended {
    Refused(String),
    Done(String),
    Stopped(String),
    Panicked(String),
    Stalled(Vec<String>),
}

/// A result as its `Debug` text: all that comes from one process to the other.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Shown(pub(super) String);

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Orders {
    /// The environment variable that makes a process a child.
    pub(super) const VARIABLE: &str = "DURABLE_REAL_LIFE";

    /// The orders of this process, if it is a child.
    pub(super) fn given() -> Option<Self> {
        let text = std::env::var(Self::VARIABLE).ok()?;
        Some(serde_json::from_str(&text).expect("a lab gives orders that can be read"))
    }

    pub(super) fn answers(&self) -> Answers {
        let answer = |answer: &Answer| {
            let Answer { session, key, happened, value } = answer;
            ((session.clone(), key.clone()), happened.then(|| value.clone()))
        };
        self.answers.iter().map(answer).collect()
    }
}

impl Answer {
    pub(super) fn all(answers: Answers) -> Vec<Self> {
        let answer = |((session, key), value): ((String, String), Option<Value>)| Self {
            session,
            key,
            happened: value.is_some(),
            value: value.unwrap_or_default(),
        };
        answers.into_iter().map(answer).collect()
    }
}

impl Said {
    pub(super) fn of<T: std::fmt::Debug>(lived: Lived<T>, trace: &[Traced], calls: u64) -> Self {
        let end = match lived.end {
            End::Refused(why) => Ended::Refused(why),
            End::Done(result) => Ended::Done(format!("{result:?}")),
            End::Stopped(error) => Ended::Stopped(error),
            End::Panicked(text) => Ended::Panicked(text),
            End::Stalled(what) => Ended::Stalled(what),
            End::Died => Ended::Stalled(Vec::new()),
        };
        let operations = trace.iter().filter_map(|traced| match traced {
            Traced::Operation { operation, file, .. } => Some((format!("{operation:?}"), file.clone())),
            _ => None,
        });
        let has_acted = trace.iter().any(|traced| matches!(traced, Traced::Call { is_question: false, .. }));
        Self { end, asked: lived.asked, operations: operations.collect(), calls, has_acted }
    }

    pub(super) fn lived(&self) -> Lived<Shown> {
        let end = match self.end.clone() {
            Ended::Refused(why) => End::Refused(why),
            Ended::Done(result) => End::Done(Shown(result)),
            Ended::Stopped(error) => End::Stopped(error),
            Ended::Panicked(text) => End::Panicked(text),
            Ended::Stalled(what) => End::Stalled(what),
        };
        Lived { end, asked: self.asked.clone() }
    }
}
