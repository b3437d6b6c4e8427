//! What people say to a session: what became of an effect that nobody else can tell of, and what is decided.

use serde::Serialize;

use super::Session;
use crate::approval::Approval;
use crate::core::record::{Stored, WordRefused};
use crate::core::value;
use crate::core::word::{self, Misfit, Says};
use crate::error::{Error, Kind};

/// A word about an effect, not complete yet. Made by [`Session::resolve`] and [`Word::resolve`].
#[must_use = "an answer counts once it says who gives it and why"]
#[derive(Debug)]
pub struct Resolve<To> {
    to: To,
    key: String,
    attempt: Option<u32>,
}

/// An answer to what a decision asks, not complete yet. Made by [`Session::answer`] and [`Word::answer`].
#[must_use = "an answer counts once it says who gives it and why"]
#[derive(Debug)]
pub struct Reply<To> {
    to: To,
    key: String,
    digest: Option<String>,
}

/// A word that needs a name and a reason. Made by [`Resolve`] and [`Reply`].
#[must_use = "an answer counts once it says who gives it and why"]
#[derive(Debug)]
pub struct Answer<To> {
    to: To,
    key: String,
    says: Saying,
}

/// A person's word for a session that another process may hold; [`post`](crate::post) it.
///
/// # Examples
///
/// ```
/// use durable_runtime::Word;
///
/// let word = Word::answer("payroll//send").approve().by("ada", "the sum is right");
/// let other = Word::resolve("payroll//wire").did_not_happen().by("ada", "not in the bank's list");
/// ```
#[must_use = "a word counts once it is posted"]
#[derive(Debug)]
pub struct Word(pub(crate) Result<word::Word, Error>);

/// Stands for the session to which a [`Word`] is posted.
#[derive(Clone, Copy, Debug)]
pub struct Post(pub(super) ());

#[derive(Debug)]
enum Saying {
    Resolve { attempt: Option<u32>, happened: bool, value: Result<Option<Stored>, String> },
    Answer { digest: Option<String>, value: Result<Stored, String> },
    Approval { digest: Option<String>, approved: bool },
}

impl Session {
    /// Answers an open question: what became of the effect `key`, a full key as the handoff shows it.
    pub fn resolve(&self, key: impl Into<String>) -> Resolve<&Self> {
        Resolve { to: self, key: key.into(), attempt: None }
    }

    /// Answers what the decision `key` asks, a full key as the handoff shows it.
    pub fn answer(&self, key: impl Into<String>) -> Reply<&Self> {
        Reply { to: self, key: key.into(), digest: None }
    }

    /// Takes a word in, or records that it does not count.
    pub(super) async fn hear(&self, word: &word::Word) -> Result<(), Error> {
        let kept = self.kept(word).await?;
        let now = self.shared.clock.now();
        let unheard = {
            let mut live = self.shared.live();
            let key = word.key.clone();
            match (kept.and_then(|kept| live.state.admit(&kept, now)), live.state.misfit(word)) {
                (Ok(event), None) => {
                    live.push(now, event);
                    None
                }
                (Ok(_), Some(Misfit { wanted, given })) => {
                    let why = format!("`{wanted}` is asked for, and it gives `{given}`");
                    self.shared.refuse_word(&mut live, now, word.refused(&why));
                    Some(Kind::OfOtherType { key, wanted, given })
                }
                (Err(why), _) => {
                    self.shared.refuse_word(&mut live, now, word.refused(&why));
                    Some(Kind::NothingAsked { key, why })
                }
            }
        };
        self.told().await?;
        match unheard {
            None => {
                self.shared.words.notify_waiters();
                Ok(())
            }
            Some(refusal) => Err(refusal.into()),
        }
    }

    /// The word as the log can hold it: a large value is kept apart. Else, why it cannot.
    async fn kept(&self, word: &word::Word) -> Result<Result<word::Word, String>, Error> {
        if let Some(Err(why)) = word.value().map(|value| self.shared.discreet(value)) {
            return Ok(Err(why));
        }
        let Says::Resolve { attempt, happened, value: Some(value) } = &word.says else { return Ok(Ok(word.clone())) };
        let value = match self.shared.fitting(value.clone()) {
            Ok(value) => self.shared.set_apart(value).await.map_err(|source| self.not_written(source))?,
            Err(why) => return Ok(Err(why)),
        };
        let says = Says::Resolve { attempt: *attempt, happened: *happened, value: Some(value) };
        Ok(Ok(word::Word { says, ..word.clone() }))
    }
}

impl Word {
    /// A word about the effect `key`, a full key as the handoff shows it.
    pub fn resolve(key: impl Into<String>) -> Resolve<Post> {
        Resolve { to: Post(()), key: key.into(), attempt: None }
    }

    /// An answer to what the decision `key` asks, a full key as the handoff shows it.
    pub fn answer(key: impl Into<String>) -> Reply<Post> {
        Reply { to: Post(()), key: key.into(), digest: None }
    }
}

#[cfg(any(test, feature = "testing"))]
impl Word {
    /// The same under an id of somebody's choice.
    pub(crate) fn under(self, id: uuid::Uuid) -> Self {
        Self(self.0.map(|word| word::Word { id: Some(id), ..word }))
    }
}

impl<To> Resolve<To> {
    /// Binds the word to the attempt that it is about, by its number in the journal. Without this it is about the newest,
    /// which may be one that was made after somebody has looked.
    pub fn of_attempt(mut self, attempt: u32) -> Self {
        self.attempt = Some(attempt);
        self
    }

    /// It happened, and this is what the step would have given (`()` for nothing).
    pub fn happened<T: Serialize + ?Sized>(self, value: &T) -> Answer<To> {
        let (attempt, value) = (self.attempt, value::encode(value).map(Some));
        Answer { to: self.to, key: self.key, says: Saying::Resolve { attempt, happened: true, value } }
    }

    /// It did not happen: the next start runs it. Where errors are results of the step, and its last attempt has ended with
    /// one, that is its result now.
    pub fn did_not_happen(self) -> Answer<To> {
        let (attempt, value) = (self.attempt, Ok(None));
        Answer { to: self.to, key: self.key, says: Saying::Resolve { attempt, happened: false, value } }
    }
}

impl<To> Reply<To> {
    /// Binds the answer to what had been shown, by the digest that the journal has beside it. Without this it is bound to
    /// what the open question shows.
    pub fn to_what_was_shown(mut self, digest: impl Into<String>) -> Self {
        self.digest = Some(digest.into());
        self
    }

    /// This is what is decided.
    pub fn value<T: Serialize + ?Sized>(self, value: &T) -> Answer<To> {
        let says = Saying::Answer { digest: self.digest, value: value::encode(value) };
        Answer { to: self.to, key: self.key, says }
    }

    /// Yes, to a decision that gives an [`Approval`].
    pub fn approve(self) -> Answer<To> {
        self.approval(true)
    }

    /// No, to a decision that gives an [`Approval`].
    pub fn decline(self) -> Answer<To> {
        self.approval(false)
    }

    fn approval(self, approved: bool) -> Answer<To> {
        Answer { to: self.to, key: self.key, says: Saying::Approval { digest: self.digest, approved } }
    }
}

impl Answer<&Session> {
    /// Records the word: who gives it, and because of what. A step that waits for it goes on at once; any other takes it
    /// when it is reached in the next start. If it does not read as the step's result then, the next word about it counts,
    /// or the question is open again.
    ///
    /// # Errors
    ///
    /// Fails, and records that it was refused, if nothing is asked about this key, or not of a person: see
    /// [`Error::is_nothing_asked`].
    ///
    /// # Crash safety
    ///
    /// The word is durable when this returns.
    pub async fn by(self, name: &str, because: &str) -> Result<(), Error> {
        let session = self.to;
        match self.word(name, because) {
            Ok(word) => session.hear(&word).await,
            Err((key, why)) => {
                {
                    let now = session.shared.clock.now();
                    let (key, by, why) = (key.clone(), name.to_owned(), why.clone());
                    let refused = WordRefused { key, attempt: None, digest: None, by, why, word: None, reopens: false };
                    session.shared.refuse_word(&mut session.shared.live(), now, refused);
                }
                session.told().await?;
                Err(Kind::NothingAsked { key, why }.into())
            }
        }
    }
}

impl Answer<Post> {
    /// Completes the word: who gives it, and because of what.
    pub fn by(self, name: &str, because: &str) -> Word {
        Word(self.word(name, because).map_err(|(key, why)| Kind::NothingAsked { key, why }.into()))
    }
}

impl<To> Answer<To> {
    /// The whole word; else its key, and why it can be none.
    fn word(self, name: &str, because: &str) -> Result<word::Word, (String, String)> {
        let (by, because) = (name.to_owned(), because.to_owned());
        let says = match self.says {
            Saying::Resolve { attempt, happened, value } => {
                value.map(|value| Says::Resolve { attempt, happened, value })
            }
            Saying::Answer { digest, value } => value.map(|value| Says::Answer { digest, value }),
            Saying::Approval { digest, approved } => {
                let approval =
                    if approved { Approval::approved(name, &*because) } else { Approval::declined(name, &*because) };
                value::encode(&approval).map(|value| Says::Answer { digest, value })
            }
        };
        match says {
            Ok(says) => Ok(word::Word { id: None, at: None, key: self.key, says, by, because }),
            Err(why) => Err((self.key, why)),
        }
    }
}
