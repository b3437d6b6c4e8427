//! What people have said of an effect, as its step takes it.

use super::slot::{Phase, Raised, Slot};
use crate::core::record::{Absent, How, Stored, WordRefused};
use crate::core::state::{Life, State, Word};
use crate::core::value;
use crate::core::way_out::short;
use crate::error::Kind;
use crate::store::StoreError;

/// What a person has said about a step that is waiting.
pub(super) fn word_in(state: &State, key: &str) -> Option<Word> {
    match state.steps.get(key).map(|step| &step.life) {
        Some(Life::Word(words)) => Some(words.first.clone()),
        _ => None,
    }
}

/// Why a word gives nothing.
enum Unread {
    /// Its value was kept apart, and cannot be read any more.
    Gone(StoreError),
    /// What is said of it: it does not read as what the step gives.
    NoResult(String),
}

impl<T, E> Slot<T, E> {
    /// Takes a person's word, and if it is no result of the step the next one: none is lost to one that is not.
    pub(super) async fn take(&mut self, word: Word) {
        let attempt = self.recorded_attempt();
        let (mut next, mut why) = (Some(word), String::new());
        while let Some(word) = next {
            match self.read(&word).await {
                Ok(None) => return self.denied(attempt, word.by).await,
                Ok(Some(stored)) => {
                    self.phase = Phase::Doubt { attempt, raised: Raised::Before };
                    return self.record(Ok(stored), How::Resolved).await;
                }
                Err(Unread::Gone(source)) => {
                    let key = self.key.to_string();
                    return self.refuse(Kind::Unfetched { key, source }.into()).await;
                }
                Err(Unread::NoResult(error)) => {
                    self.refuse_first(attempt, &word.by, &format!("it {error}"));
                    why = format!("the answer of {} {error}", word.by);
                    next = self.word();
                }
            }
        }
        if self.has_happened() {
            return self.refuse(self.not_storable(why)).await;
        }
        self.ask_for_verifier(attempt, why).await;
    }

    pub(super) fn word(&self) -> Option<Word> {
        word_in(&self.session.shared.live().state, self.key.as_str())
    }

    /// What a word gives; nothing if it says that the effect did not happen.
    async fn read(&mut self, word: &Word) -> Result<Option<(T, Stored)>, Unread> {
        if !word.happened {
            return Ok(None);
        }
        // No value is the value of a step that gives nothing.
        let json = match &word.value {
            Some(value) => self.session.shared.fetch(value).await.map_err(Unread::Gone)?,
            None => value::encode(&()).map_err(Unread::NoResult)?,
        };
        match (self.codec.decode)(&json) {
            Ok(value) => Ok(Some((value, json))),
            Err(error) => {
                let gives = short(self.codec.type_name);
                Err(Unread::NoResult(format!("does not read as the `{gives}` that the step gives: {error}")))
            }
        }
    }

    /// A person says that it did not happen.
    async fn denied(&mut self, attempt: u32, by: String) {
        self.push_outcome(Absent { by, ..self.absence(attempt) }, true);
        if let Some(error) = self.recorded_error() {
            return self.conclude(error).await;
        }
        self.again(attempt + 1, self.recorded_retry_at()).await;
    }

    fn refuse_first(&self, attempt: u32, by: &str, why: &str) {
        let (key, attempt, by, why) = (self.key.to_string(), Some(attempt), by.to_owned(), why.to_owned());
        let refused = WordRefused { key, attempt, digest: None, by, why, word: None, reopens: true };
        let now = self.session.shared.clock.now();
        self.session.shared.refuse_word(&mut self.session.shared.live(), now, refused);
    }

    fn has_happened(&self) -> bool {
        let live = self.session.shared.live();
        live.state.steps.get(self.key.as_str()).is_some_and(|step| step.life.has_happened())
    }

    fn recorded_attempt(&self) -> u32 {
        let live = self.session.shared.live();
        live.state.steps.get(self.key.as_str()).map_or(0, |step| step.attempt)
    }
}
