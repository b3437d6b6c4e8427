//! The life of a key, for readers: without its values, so that a session of any size can be listed.

use std::fmt;
use std::sync::Arc;

use super::key;
use super::meta::{Proof, StepKind};
use super::record::How;
use super::state::{Doubt, Life, State, Step};
use super::time::Timestamp;

/// A step by its full key, and where it stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeyLife {
    /// Full key.
    pub key: Arc<str>,
    /// Full key of its run; empty outside any workflow.
    pub run: Arc<str>,
    /// What it is.
    pub kind: StepKind,
    /// What it does, in words.
    pub title: Option<Arc<str>>,
    /// The newest attempt; 0 if none is known.
    pub attempt: u32,
    /// Its place among all steps ever opened.
    pub opened: u64,
    /// Whether its run is finished: its result is dropped, and the key is used for ever.
    pub is_closed: bool,
    /// Where it stands; where it stood when its run finished.
    pub stands: Stands,
}

/// Where a step stands, in one word for programs and in a few for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stands {
    /// An attempt runs, or its process died.
    Started,
    /// It is not known whether it happened, and whatever ends that needs only a start.
    InDoubt {
        /// Why.
        why: String,
    },
    /// It is not known whether it happened, and a person is to say it.
    Asks {
        /// Who.
        who: String,
        /// Why.
        why: String,
    },
    /// A person has said what became of it, or what is decided, and the step has not read it yet.
    Told {
        /// Who.
        by: String,
    },
    /// It is proven that nothing happened; it is tried again.
    DidNotHappen {
        /// The error of the newest attempt.
        error: String,
        /// Not before this instant.
        retry_at: Option<Timestamp>,
    },
    /// It sleeps until this instant.
    Asleep(Timestamp),
    /// A person is asked to decide.
    Decides {
        /// Who.
        who: String,
        /// Until when.
        expires: Option<Timestamp>,
    },
    /// An error is its result.
    Failed,
    /// It is done.
    Done(How),
    /// It happened, and its result could not be stored: a person is asked for that.
    Unstored {
        /// Who.
        who: String,
    },
}

impl KeyLife {
    /// What is known of a step.
    pub fn of(state: &State, key: &Arc<str>, step: &Step) -> Self {
        Self {
            key: Arc::clone(key),
            run: Arc::clone(&step.run),
            kind: step.kind,
            title: step.title.clone(),
            attempt: step.attempt,
            opened: step.opened,
            is_closed: false,
            stands: Stands::of(state, key, step),
        }
    }

    /// What is known of every step inside this run, at any depth; of all if none is named. In the order in which they were opened.
    pub fn all(state: &State, run: Option<&str>) -> Vec<Self> {
        let is_inside = |of: &str| run.is_none_or(|run| of == run || key::is_inside(of, run));
        let mut all: Vec<_> = state
            .steps
            .all()
            .filter(|(of, ..)| is_inside(of))
            .map(|(of, own, step)| {
                let key = if of.is_empty() { Arc::from(own) } else { Arc::from(key::scoped(of, own)) };
                Self::of(state, &key, step)
            })
            .collect();
        all.sort_by_key(|life| life.opened);
        all
    }
}

impl Stands {
    /// Where a step stands.
    pub fn of(state: &State, key: &str, step: &Step) -> Self {
        let who = || match &*step.tried().ask {
            "" => "operator".to_owned(),
            who => who.to_owned(),
        };
        match &step.life {
            Life::Reserved => Self::Started,
            Life::Doubt(doubt) if is_asked(step, doubt) => Self::Asks { who: who(), why: doubt.why.clone() },
            Life::Doubt(doubt) => Self::InDoubt { why: doubt.why.clone() },
            Life::Word(words) => Self::Told { by: words.first.by.clone() },
            Life::Rejected { error, retry_at } => Self::DidNotHappen { error: error.clone(), retry_at: *retry_at },
            Life::Asleep { until } => Self::Asleep(*until),
            Life::Asked => match state.questions.get(key) {
                Some(question) => match question.answers.front() {
                    Some(given) => Self::Told { by: given.by.clone() },
                    None => Self::Decides { who: who(), expires: question.expires },
                },
                None => Self::Decides { who: who(), expires: None },
            },
            Life::Failed(_) => Self::Failed,
            Life::Done { how, value: Ok(_) } => Self::Done(*how),
            Life::Done { value: Err(_), .. } => Self::Unstored { who: who() },
        }
    }

    /// The word for programs. Each stays what it is.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::InDoubt { .. } => "in_doubt",
            Self::Asks { .. } => "asks",
            Self::Told { .. } => "told",
            Self::DidNotHappen { .. } => "did_not_happen",
            Self::Asleep(_) => "asleep",
            Self::Decides { .. } => "decides",
            Self::Failed => "failed",
            Self::Done(_) => "done",
            Self::Unstored { .. } => "unstored",
        }
    }

    /// Who is asked, if anybody is.
    pub fn asks(&self) -> Option<&str> {
        match self {
            Self::Asks { who, .. } | Self::Decides { who, .. } | Self::Unstored { who } => Some(who),
            _ => None,
        }
    }

    /// Whether nothing is left to do about it.
    pub fn is_settled(&self) -> bool {
        matches!(self, Self::Done(_) | Self::Failed)
    }
}

impl fmt::Display for Stands {
    /// Words of ours, and nothing that came from outside but the names of people, which are as they were given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started => f.write_str("started, outcome not known"),
            Self::InDoubt { .. } => f.write_str("in doubt"),
            Self::Asks { who, .. } => write!(f, "in doubt, asks {who}"),
            Self::Told { by } => write!(f, "answered by {by}, not read yet"),
            Self::DidNotHappen { retry_at: Some(at), .. } => write!(f, "did not happen, tried again from {at}"),
            Self::DidNotHappen { retry_at: None, .. } => f.write_str("did not happen"),
            Self::Asleep(until) => write!(f, "sleeps until {until}"),
            Self::Decides { who, expires: Some(at) } => write!(f, "waits for {who} to decide until {at}"),
            Self::Decides { who, expires: None } => write!(f, "waits for {who} to decide"),
            Self::Failed => f.write_str("ended with an error"),
            Self::Done(How::Executed) => f.write_str("done"),
            Self::Done(How::Verified) => f.write_str("done, found by its verifier"),
            Self::Done(How::Resolved) => f.write_str("done, said by a person"),
            Self::Done(How::Expired) => f.write_str("done, nobody answered in time"),
            Self::Unstored { who } => write!(f, "done, result not stored, asks {who}"),
        }
    }
}

/// Whether only a person's word ends the doubt.
pub(super) fn is_asked(step: &Step, doubt: &Doubt) -> bool {
    doubt.asked.is_some() || step.tried().proof == Some(Proof::Person)
}
