//! What a person says to a session: what became of an effect, or what is decided. Here it is judged whether it counts.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::key::SCOPE;
use super::meta::StepKind;
use super::record::{self, APART_FROM, Event, Stored};
use super::state::{Life, State, Step};
use super::time::Timestamp;

/// A person's word, whole: what it is about, what it says, who says it, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Word {
    /// Tells it from every other, so that it counts once however often it is found; none if it is said here and now.
    pub id: Option<Uuid>,
    /// Full key of the step.
    pub key: String,
    /// What it says.
    pub says: Says,
    /// Who says it.
    pub by: String,
    /// Why, or how they know.
    pub because: String,
    /// When they said it; now, if it does not say.
    pub at: Option<Timestamp>,
}

/// See [`Word::says`].
#[derive(Clone, Debug)]
pub enum Says {
    /// Whether an effect happened, and what it gave.
    Resolve {
        /// The attempt that this is about; the newest, if it does not say.
        attempt: Option<u32>,
        /// Whether it happened.
        happened: bool,
        /// What it gave.
        value: Option<Stored>,
    },
    /// What is decided.
    Answer {
        /// The digest of what was shown; that of the open question, if it does not say.
        digest: Option<String>,
        /// The answer.
        value: Stored,
    },
}

/// What a word lacks that says not whose it is.
const NAMELESS: &str = "it needs a name and a reason, `.by(\"who\", \"why\")`, which stand in the log for whoever asks later; say it again with both";

/// How many keys are proposed in place of one that is none.
const MEANT: usize = 3;

impl State {
    /// The record that a word makes which is taken in `now`, or why it does not count.
    ///
    /// # Errors
    ///
    /// Fails if it answers no open question.
    pub fn admit(&self, word: &Word, now: Timestamp) -> Result<Event, String> {
        if word.by.trim().is_empty() || word.because.trim().is_empty() {
            return Err(NAMELESS.to_owned());
        }
        let step = self.steps.get(&word.key).ok_or_else(|| self.unknown(&word.key))?;
        if self.is_finished(&step.run) {
            return Err("its run is finished, and that is final".to_owned());
        }
        let (key, by, because, word_id) = (word.key.clone(), word.by.clone(), word.because.clone(), word.id);
        Ok(match &word.says {
            Says::Resolve { attempt, happened, value } => {
                let (happened, value) = resolved(step, *attempt, *happened, value.clone())?;
                record::Resolve { key, attempt: step.attempt, happened, value, by, because, word: word_id }.into()
            }
            Says::Answer { value, .. } if value.get().len() > APART_FROM => {
                return Err(format!("an answer takes at most {APART_FROM} bytes"));
            }
            Says::Answer { digest, value } => {
                let given = word.at.map_or(now, |at| at.min(now));
                let digest = self.answered(step, &key, digest.as_deref(), given)?.to_owned();
                record::Answer { key, digest, value: value.clone(), by, because, word: word_id }.into()
            }
        })
    }

    /// Why a word about a key that was never reached does not count, and which key may be meant: its own part was given
    /// without its run, or with single slashes.
    fn unknown(&self, key: &str) -> String {
        let is_meant = |full: &str| full.ends_with(&format!("{SCOPE}{key}")) || full.replace(SCOPE, "/") == key;
        let asked = self.open_steps().filter(|(_, step)| step.life.doubt().is_some() || step.life.is_wait());
        let mut meant: Vec<_> =
            asked.map(|(full, _)| full).filter(|full| is_meant(full)).map(|full| format!("`{full}`")).collect();
        meant.truncate(MEANT);
        match meant.is_empty() {
            true => "no step with this key was ever reached; the handoff names every open question by its full key"
                .to_owned(),
            false => format!("no step with this key was ever reached; did you mean {}?", meant.join(" or ")),
        }
    }

    /// The digest of what the open question shows, if that is what was answered.
    fn answered(&self, step: &Step, key: &str, digest: Option<&str>, given: Timestamp) -> Result<&str, String> {
        if step.kind != StepKind::Decision {
            return Err("it is no decision: what became of an effect is said with `resolve`".to_owned());
        }
        let question = self.questions.get(key).ok_or("nobody has been asked yet")?;
        match &question.answer {
            Some(given) => Err(format!("{} has answered, and a given answer is final", given.by)),
            None if !matches!(step.life, Life::Asked) || question.is_expired(given) => {
                Err("the time for an answer is over, and what then counts is recorded".to_owned())
            }
            None if digest.is_some_and(|digest| digest != question.digest) => {
                Err("it answers something else than what is shown: look at the handoff, and answer that".to_owned())
            }
            None => Ok(&question.digest),
        }
    }
}

impl Word {
    /// The record that it does not count, and why.
    pub fn refused(&self, why: &str) -> record::WordRefused {
        let (attempt, digest) = match &self.says {
            Says::Resolve { attempt, .. } => (*attempt, None),
            Says::Answer { digest, .. } => (None, digest.clone()),
        };
        let (key, by, why, word) = (self.key.clone(), self.by.clone(), why.to_owned(), self.id);
        record::WordRefused { key, attempt, digest, by, why, word, reopens: false }
    }
}

/// What a word about an effect comes to.
fn resolved(
    step: &Step,
    attempt: Option<u32>,
    happened: bool,
    value: Option<Stored>,
) -> Result<(bool, Option<Stored>), String> {
    if let Some(other) = attempt.filter(|attempt| *attempt != step.attempt) {
        return Err(format!("it is about attempt {other}, and the newest is attempt {}", step.attempt));
    }
    match (&step.life, value) {
        (Life::Word(word), _) => Err(format!("{} has answered, and a given answer is final", word.by)),
        (Life::Doubt(_), value) => Ok((happened, value)),
        (Life::Done { value: Err(_), .. }, Some(value)) => Ok((true, Some(value))),
        (Life::Done { .. }, _) => Err("it is known that it happened".to_owned()),
        (Life::Failed(_), _) => Err("it is known that it did not happen, and its error is its result".to_owned()),
        (Life::Rejected { .. }, _) => Err("it is known that it did not happen".to_owned()),
        (Life::Reserved, _) => Err("it may be running right now".to_owned()),
        (Life::Asleep { .. }, _) => Err("it sleeps, and needs no answer".to_owned()),
        (Life::Asked, _) => Err("it is a decision: say what is decided with `answer`".to_owned()),
    }
}

/// A word as it is written: one flat object, because a value keeps its text only in one that is read directly.
#[derive(Serialize, Deserialize)]
struct Written {
    id: Option<Uuid>,
    word: Kind,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    happened: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "record::present")]
    value: Option<Stored>,
    by: String,
    because: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    at: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Resolve,
    Answer,
}

impl From<Word> for Written {
    fn from(Word { id, key, says, by, because, at }: Word) -> Self {
        let (attempt, happened, digest) = (None, None, None);
        match says {
            Says::Resolve { attempt, happened, value } => {
                Self { id, word: Kind::Resolve, key, attempt, happened: Some(happened), digest, value, by, because, at }
            }
            Says::Answer { digest, value } => {
                Self { id, word: Kind::Answer, key, attempt, happened, digest, value: Some(value), by, because, at }
            }
        }
    }
}

impl TryFrom<Written> for Word {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { id, word, key, attempt, happened, digest, value, by, because, at } = written;
        let says = match word {
            Kind::Resolve => {
                Says::Resolve { attempt, happened: happened.ok_or("it does not say whether it happened")?, value }
            }
            Kind::Answer => Says::Answer { digest, value: value.ok_or("it has no answer in it")? },
        };
        Ok(Self { id, key, says, by, because, at })
    }
}
