//! What a person says to a session: what became of an effect, or what is decided. Here it is judged whether it counts.

mod earlier;
mod fits;
mod refused;
mod written;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::key::{self, SCOPE};
use super::meta::{Proof, StepKind};
use super::record::{self, APART_FROM, Event, Stored};
use super::state::{Cancelled, Doubt, Life, State, Step};
use super::time::Timestamp;
use super::waits::Question;
use crate::broken::{self, Broken};
pub use earlier::Earlier;
pub use fits::Misfit;
use written::Written;

/// A person's word, whole: what it is about, what it says, who says it, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Word {
    /// Tells it from every other, so that it counts once however often it is found; none if it is said here and now.
    pub id: Option<Uuid>,
    /// When it was said; when it is judged, if it does not say, or says a later instant.
    pub at: Option<Timestamp>,
    /// Full key of the step, or of the run that is given up.
    pub key: String,
    /// What it says.
    pub says: Says,
    /// Who says it.
    pub by: String,
    /// Why, or how they know.
    pub because: String,
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
    /// The run that is its key is given up.
    Cancel,
}

/// What a word lacks that says not whose it is.
const NAMELESS: &str = "it needs a name and a reason, `.by(\"who\", \"why\")`, which stand in the log for whoever asks later; say it again with both";

/// How many keys are proposed in place of one that is none.
const MEANT: usize = 3;

/// What is said to a word about a step of a finished run.
const OVER: &str = "its run is finished, and that is final";

impl Word {
    /// The value that it gives.
    pub fn value(&self) -> Option<&Stored> {
        match &self.says {
            Says::Resolve { value, .. } => value.as_ref(),
            Says::Answer { value, .. } => Some(value),
            Says::Cancel => None,
        }
    }

    /// Whether it is whole.
    ///
    /// # Errors
    ///
    /// Fails if it says nothing of its key, of who says it, or of why.
    pub fn is_whole(&self) -> Result<(), String> {
        match self {
            _ if self.key.is_empty() => refuse("it names no key: give the full one, as the handoff shows it"),
            _ if self.by.trim().is_empty() || self.because.trim().is_empty() => refuse(NAMELESS),
            _ => Ok(()),
        }
    }
}

impl State {
    /// The record that a word makes which is judged now, or why it does not count.
    ///
    /// # Errors
    ///
    /// Fails if it answers no open question.
    pub fn admit(&self, word: &Word, now: Timestamp) -> Result<Event, String> {
        word.is_whole()?;
        let asked = || self.steps.get(&word.key).ok_or_else(|| self.unknown(&word.key));
        // Now is after everything in the log, though the clock may have stepped back; and nothing is said later than now.
        let now = now.max(self.at);
        let at = word.at.map_or(now, |at| at.min(now));
        let (key, by, because, word_id) = (word.key.clone(), word.by.clone(), word.because.clone(), word.id);
        let (event, step) = match &word.says {
            Says::Cancel => {
                let run = key;
                self.is_cancellable(&run)?;
                return Ok(record::Cancel { run, by, because, word: word_id }.into());
            }
            Says::Resolve { attempt, happened, value } => {
                let step = asked()?;
                let is_given_up = self.is_given_up(step);
                resolved(step, is_given_up, *attempt, *happened, value.is_some(), at)?;
                let (attempt, happened, value) = (step.attempt, *happened, value.clone());
                (record::Resolve { key, attempt, happened, value, by, because, word: word_id }.into(), step)
            }
            Says::Answer { value, .. } if value.get().len() > APART_FROM => {
                return refuse(format!("an answer takes at most {APART_FROM} bytes"));
            }
            Says::Answer { digest, value } => {
                let step = asked()?;
                let digest = self.answered(step, &key, digest.as_deref(), at)?.to_owned();
                (record::Answer { key, digest, value: value.clone(), by, because, word: word_id }.into(), step)
            }
        };
        // Nobody reads it any more.
        if self.is_finished(&step.run) { refuse(OVER) } else { Ok(event) }
    }

    /// Whether this run can be given up.
    ///
    /// # Errors
    ///
    /// Fails if there is no such run, or if it has come to an end.
    pub fn is_cancellable(&self, run: &str) -> Result<(), String> {
        match self.runs.get(run) {
            _ if self.is_finished(run) => refuse(OVER),
            None => refuse("there is no such run; the handoff and the journal name every run"),
            Some(run) => match &run.cancelled {
                Some(cancelled) => refuse(format!("{} has cancelled it", cancelled.by)),
                None => Ok(()),
            },
        }
    }

    /// A word that is to be posted, bound to the question that is open now.
    ///
    /// # Errors
    ///
    /// Fails if it answers no open question.
    pub fn bind(&self, word: Word, now: Timestamp) -> Result<Word, String> {
        // Whoever has read the log speaks after it, though the clock may have stepped back.
        let word = Word { at: Some(now.max(self.at)), ..word };
        let says = match (self.admit(&word, now)?, word.says) {
            (Event::Resolve(bound), Says::Resolve { happened, value, .. }) => {
                Says::Resolve { attempt: Some(bound.attempt), happened, value }
            }
            (Event::Answer(bound), Says::Answer { value, .. }) => Says::Answer { digest: Some(bound.digest), value },
            (_, says) => says,
        };
        Ok(Word { says, ..word })
    }

    /// The digest of what the open question shows, if that is what was answered, and in time.
    fn answered(&self, step: &Step, key: &str, digest: Option<&str>, at: Timestamp) -> Result<&str, String> {
        if step.kind != StepKind::Decision {
            return refuse("it is no decision: what became of an effect is said with `resolve`");
        }
        let Some(question) = self.questions.get(key) else { return refuse("nobody has been asked yet") };
        let Question { asked_at, .. } = question;
        match (&step.life, question.answers.front()) {
            (Life::Asked, _) if digest.is_some_and(|digest| digest != question.digest) => {
                refuse("it answers something else than what is shown: look at the handoff, and answer that")
            }
            (Life::Asked, _) if self.is_given_up(step) => refuse(self.given_up(&step.run)),
            (Life::Asked, _) if at < *asked_at => refuse(early(at, *asked_at)),
            (Life::Asked, _) if question.is_expired(at) => refuse(format!(
                "the time for an answer is over since {}, and this one is of {at}: start the worker, which takes what counts without one",
                question.expires.unwrap_or(*asked_at)
            )),
            // Whether the answers before it are any is found out by the step that reads them.
            (Life::Asked, _) => Ok(&question.digest),
            (_, Some(given)) => refuse(format!("{} has answered, and a given answer is final", given.by)),
            (_, None) => refuse("the time for an answer is over, and what then counts is recorded"),
        }
    }

    /// Why nobody reads an answer: the run of the decision, or one around it, was given up.
    fn given_up(&self, run: &str) -> String {
        let by = |(run, by): (&str, &Cancelled)| {
            format!("run `{run}` was cancelled by {} ({}) at {}", by.by, by.because, by.at)
        };
        let cancelled = self.cancelled(run).map(by).unwrap_or_default();
        format!("{cancelled}, so nobody waits for the answer any more: nothing is left to decide")
    }

    /// Why a word about a key that was never reached does not count, and which key may be meant: its own part was given
    /// without its run, or with single slashes.
    fn unknown(&self, key: &str) -> String {
        if key::around(key).next().is_some_and(|run| self.is_finished(run)) {
            return OVER.to_owned();
        }
        let is_meant = |full: &str| full.ends_with(&format!("{SCOPE}{key}")) || full.replace(SCOPE, "/") == key;
        let asked = self.open_steps().filter(|(_, step)| step.life.doubt().is_some() || step.life.is_wait());
        let mut meant: Vec<_> =
            asked.map(|(full, _)| full).filter(|full| is_meant(full)).map(|full| format!("`{full}`")).collect();
        meant.truncate(MEANT);
        match meant.is_empty() {
            true => "no step with this key was ever reached; the handoff and the journal name every open question by its full key"
                .to_owned(),
            false => format!("no step with this key was ever reached; did you mean {}?", meant.join(" or ")),
        }
    }
}

fn refuse<T>(why: impl Into<String>) -> Result<T, String> {
    Err(why.into())
}

fn early(at: Timestamp, asked_at: Timestamp) -> String {
    format!("it is of {at}, before this was asked at {asked_at}: look again, and say what you see then")
}

/// Whether a word about an effect counts: only a person who is asked has a word there, and only since then.
fn resolved(
    step: &Step,
    is_given_up: bool,
    attempt: Option<u32>,
    happened: bool,
    has_value: bool,
    at: Timestamp,
) -> Result<(), String> {
    if let Some(other) = attempt.filter(|attempt| *attempt != step.attempt) {
        return refuse(format!("it is about attempt {other}, and the newest is attempt {}", step.attempt));
    }
    // Whether the words before it are any is found out by the step that reads them.
    let asked = match &step.life {
        Life::Word(words) => &words.question,
        life => life,
    };
    match asked {
        Life::Doubt(doubt) => asked_about(step, doubt, is_given_up, happened, at),
        Life::Done { value: Err(_), .. } if happened && has_value => Ok(()),
        // Where nothing gives it again, somebody may have to.
        Life::Done { value: Ok(value), .. } if value.is_withheld() && happened && has_value => Ok(()),
        Life::Done { value: Err(_), .. } if happened => {
            refuse("it is known that it happened, and asked what it gave: say that")
        }
        Life::Done { .. } => refuse("it is known that it happened"),
        Life::Failed(_) => refuse("it is known that it did not happen, and its error is its result"),
        Life::Rejected { .. } => refuse("it is known that it did not happen"),
        Life::Reserved => refuse(running(step)),
        Life::Asleep { .. } => refuse("it sleeps, and needs no answer"),
        Life::Asked | Life::Word(_) => refuse("it is a decision: say what is decided with `answer`"),
    }
}

/// Whoever reads the log without holding the session cannot tell whether the process lives that reserved the attempt. A
/// boot can, for then it does not.
fn running(step: &Step) -> String {
    let then = match step.tried().proof {
        Some(Proof::Verify) => "its verifier is asked first",
        Some(Proof::Idempotent) => "it is repeated, and nobody is asked",
        Some(Proof::Person | Proof::NotNeeded) | None => "it asks",
    };
    format!("it may be running right now; if no worker is, start one: {then}")
}

fn asked_about(step: &Step, doubt: &Doubt, is_given_up: bool, happened: bool, at: Timestamp) -> Result<(), String> {
    let asked_at = match (doubt.asked, step.tried().proof) {
        (Some(asked_at), _) => asked_at,
        // The code of a run that was given up need not come to it any more, and repeats nothing.
        _ if is_given_up => doubt.since,
        _ if broken::is(Broken::WordBeforeVerifier) => return Ok(()),
        (None, Some(Proof::Verify)) => {
            return refuse("its verifier is asked first, and a person only if that cannot tell: start the worker");
        }
        (None, Some(Proof::Idempotent)) => {
            return refuse("it is repeated with the same token, and nobody is asked: start the worker");
        }
        (None, Some(Proof::Person | Proof::NotNeeded) | None) => doubt.since,
    };
    if at < asked_at {
        return refuse(early(at, asked_at));
    }
    // What the verifier would not be believed, a person is not either: both look at the same ledger.
    let settles = step.tried().settle.filter(|_| step.tried().proof == Some(Proof::Verify) && !happened);
    match settles.map(|settle| doubt.since.after(settle).max(doubt.not_before.unwrap_or(doubt.since))) {
        Some(until) if at < until => {
            refuse(format!("a late request may still arrive until {until}: look again then, and say what you see"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
