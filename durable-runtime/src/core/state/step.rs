//! What is known of a step.

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use uuid::Uuid;

use crate::core::meta::{Proof, StepKind};
use crate::core::record::{How, Kept, Stored};
use crate::core::step_error::StepError;
use crate::core::time::Timestamp;

/// From how many times on an error is taken for one that stays.
const PERSISTS: u32 = 3;

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its place among all steps ever opened.
    pub opened: u64,
    /// Full key of its run; empty outside any workflow.
    pub run: Arc<str>,
    /// Shape of its key's template.
    pub shape: Arc<str>,
    /// What it is.
    pub kind: StepKind,
    /// What it does, in words.
    pub title: Option<Arc<str>>,
    /// The newest attempt; 0 if none is known.
    pub attempt: u32,
    /// Digest of what it was given.
    pub args: Option<Uuid>,
    /// Whether its newest attempt was made after its run was given up.
    pub cleans_up: bool,
    /// What matters of it until it has its result.
    pub tried: Option<Box<Tried>>,
    /// Where it stands.
    pub life: Life,
}

/// What is known of the attempts of a step that has no result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tried {
    /// How many attempts have failed since the budget was last full.
    pub failures: u32,
    /// How many attempts in a row were cut off by the end of their process.
    pub crashes: u32,
    /// The error of the attempt that failed last, and how many in a row have failed with it.
    pub error: Option<(Box<str>, u32)>,
    /// The oldest attempt of which it is not proven that nothing happened, and when it was reserved.
    pub unproven: Option<(u32, Timestamp)>,
    /// How long its receiver remembers the token, as recorded with the newest attempt.
    pub within: Option<Duration>,
    /// When the newest attempt was reserved.
    pub reserved_at: Option<Timestamp>,
    /// How a doubt about it ends, as recorded with the newest attempt; `None` if the log does not know.
    pub proof: Option<Proof>,
    /// Whether its receiver is given the token of its key.
    pub sends_token: bool,
    /// Whom to ask.
    pub ask: Arc<str>,
    /// Type of what it gives, where that is known: for whoever is asked.
    pub gives: Option<String>,
    /// How long a request may still land, as recorded with the newest attempt.
    pub settle: Option<Duration>,
}

/// Where a step stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Life {
    /// An attempt may be running.
    Reserved,
    /// It is not known whether the newest attempt happened.
    Doubt(Box<Doubt>),
    /// A person has said what happened, and no step has taken the word yet.
    Word(Box<Words>),
    /// It is proven that nothing happened.
    Rejected {
        /// The error of the newest attempt.
        error: String,
        /// Before this instant no further attempt is made.
        retry_at: Option<Timestamp>,
    },
    /// It sleeps.
    Asleep {
        /// Before this instant it does not go on.
        until: Timestamp,
    },
    /// A person is asked to decide: see [`State::questions`](super::State::questions).
    Asked,
    /// Nothing happened, and the error that proves it, or that was proven harmless, is the result.
    Failed(Box<StepError>),
    /// It happened.
    Done {
        /// How that is known.
        how: How,
        /// The result, or why it could not be stored.
        value: Result<Kept, String>,
    },
}

/// See [`Life::Doubt`].
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// From when a request is allowed its time to land: the recorded end of the attempt, or the first boot after it.
    pub since: Timestamp,
    /// What raised it.
    pub why: String,
    /// Since when a person is asked, if one is.
    pub asked: Option<Timestamp>,
    /// Before this instant absence proves nothing.
    pub not_before: Option<Timestamp>,
    /// Before this instant no further attempt is made, whatever is proven.
    pub retry_at: Option<Timestamp>,
    /// The error that is the step's result, once it is proven that nothing happened.
    pub error: Option<StepError>,
}

/// See [`Life::Word`].
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// The first one: it counts, if the step reads a result in it.
    pub first: Word,
    /// Those that came after it, in their order: one of them counts if those before it are no results.
    pub later: VecDeque<Word>,
    /// The question that they answer: it opens again if none of them is a result of the step.
    pub question: Life,
}

/// What a person has said of an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Whether it happened.
    pub happened: bool,
    /// The result, if it happened.
    pub value: Option<Stored>,
    /// Who says so.
    pub by: String,
}

impl Step {
    /// A step of this run that nothing is known of but where it stands.
    pub fn new(opened: u64, run: Arc<str>, shape: Arc<str>, kind: StepKind, life: Life) -> Self {
        let (title, args, cleans_up) = (None, None, false);
        Self { opened, run, shape, kind, title, attempt: 0, args, cleans_up, tried: None, life }
    }

    /// The same, and what is known of its attempts.
    #[must_use]
    pub fn with(self, tried: Tried) -> Self {
        Self { tried: Some(Box::new(tried)), ..self }
    }

    /// It has its result: what is still asked of it is which step it is, and what it gave.
    pub fn settle(&mut self) {
        self.tried = None;
    }

    /// Whether it fails with the same error over and over: another start alone does not make it go away.
    pub fn persists(&self) -> bool {
        self.tried().error.as_ref().is_some_and(|(_, times)| *times >= PERSISTS)
    }

    /// What is known of its attempts.
    pub fn tried(&self) -> &Tried {
        static NEVER: LazyLock<Tried> = LazyLock::new(Tried::default);
        self.tried.as_deref().unwrap_or(&NEVER)
    }

    /// The same, to change it.
    pub fn tried_mut(&mut self) -> &mut Tried {
        self.tried.get_or_insert_default()
    }
}

impl Life {
    /// In doubt.
    pub fn in_doubt(doubt: Doubt) -> Self {
        Self::Doubt(Box::new(doubt))
    }

    /// Whether the effect is known to have happened, whatever became of its result.
    pub fn has_happened(&self) -> bool {
        match self {
            Self::Done { .. } => true,
            Self::Word(words) => words.question.has_happened(),
            Self::Reserved | Self::Doubt(_) | Self::Rejected { .. } | Self::Failed(_) => false,
            Self::Asleep { .. } | Self::Asked => false,
        }
    }

    /// Whether it is proven, or a person has said, that nothing happened, and it has no result.
    pub fn is_absent(&self) -> bool {
        match self {
            Self::Rejected { .. } => true,
            Self::Word(words) => !words.first.happened,
            Self::Reserved | Self::Doubt(_) | Self::Failed(_) | Self::Done { .. } => false,
            Self::Asleep { .. } | Self::Asked => false,
        }
    }

    /// Whether nothing is done, and nothing can be in doubt: a sleep or a question.
    pub fn is_wait(&self) -> bool {
        matches!(self, Self::Asleep { .. } | Self::Asked)
    }

    /// The doubt, whether or not a person has answered it already.
    pub fn doubt(&self) -> Option<&Doubt> {
        match self {
            Self::Doubt(doubt) => Some(doubt),
            Self::Word(words) => words.question.doubt(),
            Self::Reserved | Self::Rejected { .. } | Self::Failed(_) | Self::Done { .. } => None,
            Self::Asleep { .. } | Self::Asked => None,
        }
    }
}

impl Doubt {
    /// A doubt that nobody has been asked about.
    pub fn new(since: Timestamp, why: impl Into<String>) -> Self {
        Self { since, why: why.into(), asked: None, not_before: None, retry_at: None, error: None }
    }
}
