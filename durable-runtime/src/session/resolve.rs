//! A person's word on an effect that nobody else can tell of.

use serde::Serialize;

use super::Session;
use crate::core::record::{self, Event, Stored};
use crate::core::state::Life;
use crate::core::value;
use crate::error::{Error, Kind};

/// An answer that is not complete yet. Made by [`Session::resolve`].
#[must_use = "an answer counts once it says who gives it and why"]
#[derive(Debug)]
pub struct Resolve<'a> {
    session: &'a Session,
    key: String,
}

/// An answer that needs a name and a reason. Made by [`Resolve::happened`] and [`Resolve::did_not_happen`].
#[must_use = "an answer counts once it says who gives it and why"]
#[derive(Debug)]
pub struct Answer<'a> {
    session: &'a Session,
    key: String,
    happened: bool,
    value: Result<Option<Stored>, String>,
}

impl<'a> Resolve<'a> {
    pub(super) fn new(session: &'a Session, key: String) -> Self {
        Self { session, key }
    }

    /// It happened, and this is what the step would have given (`()` for nothing).
    pub fn happened<T: Serialize + ?Sized>(self, value: &T) -> Answer<'a> {
        let value = value::encode(value).map(Some);
        Answer { session: self.session, key: self.key, happened: true, value }
    }

    /// It did not happen: the next start runs it.
    pub fn did_not_happen(self) -> Answer<'a> {
        Answer { session: self.session, key: self.key, happened: false, value: Ok(None) }
    }
}

impl Answer<'_> {
    /// Records the answer: who gives it, and because of what. The step takes it when it is reached in the next start; if
    /// it does not read as the step's result then, the question is open again.
    ///
    /// # Errors
    ///
    /// Fails, and records that it was refused, if nothing is asked about this key.
    ///
    /// # Crash safety
    ///
    /// The answer is durable when this returns.
    pub async fn by(mut self, name: &str, because: &str) -> Result<(), Error> {
        let shared = &self.session.shared;
        if let Ok(Some(value)) = self.value {
            self.value = match shared.fitting(value) {
                Ok(value) => {
                    Ok(Some(shared.set_apart(value).await.map_err(|source| self.session.not_written(source))?))
                }
                Err(why) => Err(why),
            };
        }
        let key = self.key.clone();
        match self.word(name, because) {
            Ok(word) => self.session.tell(word).await,
            Err(why) => {
                let error = Error::from(Kind::NothingAsked { key: key.clone(), why });
                let text = error.to_string();
                self.session.tell(record::Note { text: format!("refused an answer of {name}: {text}") }).await?;
                Err(error)
            }
        }
    }

    fn word(&self, name: &str, because: &str) -> Result<Event, String> {
        let (by, because) = (name.to_owned(), because.to_owned());
        if by.trim().is_empty() || because.trim().is_empty() {
            return Err("an answer needs a name and a reason".to_owned());
        }
        let (key, happened, value) = (self.key.clone(), self.happened, self.value.clone()?);
        let live = self.session.shared.live();
        let step = live.state.steps.get(&key).ok_or("no step with this key was ever reached")?;
        let attempt = step.attempt;
        match (&step.life, value) {
            (Life::Word(word), _) => Err(format!("{} has answered, and a given answer is final", word.by)),
            (Life::Doubt(_), value) => Ok(record::Resolve { key, attempt, happened, value, by, because }.into()),
            (Life::Done { value: Err(_), .. }, Some(value)) => {
                Ok(record::Resolve { key, attempt, happened, value: Some(value), by, because }.into())
            }
            (Life::Done { .. }, _) => Err("it is known that it happened".to_owned()),
            (Life::Failed(_), _) => Err("it is known that it did not happen, and its error is its result".to_owned()),
            (Life::Rejected { .. }, _) => Err("it is known that it did not happen".to_owned()),
            (Life::Reserved, _) => Err("it may be running right now".to_owned()),
        }
    }
}
