//! Giving a run up, for ever.

use super::Session;
use super::commit::Commit;
use super::resolve::{Post, Word};
use super::surroundings::Around;
use crate::broken::{self, Broken};
use crate::core::start::{Cause, Place, Stop};
use crate::core::word::{self, Says};
use crate::error::{Error, Kind};

/// A cancellation that needs a name and a reason. Made by [`Session::cancel`] and [`Word::cancel`].
#[must_use = "a run is given up once it is said by whom and why"]
#[derive(Debug)]
pub struct Cancel<To> {
    to: To,
    run: String,
}

impl Session {
    /// Gives up the run `run`, a full key as the handoff shows it, and the runs inside it: in this start and in every
    /// later one they begin no new effect. What is recorded stays, and a doubt stays one: it is settled, or asked about,
    /// as before.
    ///
    /// The run may be entered still, so that it can clean up: it asks [`is_cancelled`](Self::is_cancelled), and its steps
    /// with `cleanup` run, whichever order they stand in. If nothing in it was refused, the value that it returns is its
    /// result, and it is finished; otherwise it gives an error of which [`Error::is_cancelled`] is true, whatever its body
    /// made of that, and stays unfinished, and no longer in the way of another workflow. In both cases a process whose work
    /// it is says [`Outcome::Cancelled`](crate::Outcome::Cancelled), in this start and in every later one.
    ///
    /// One whose body was running may have passed the place at which it cleans up. If it has not reached all its steps with
    /// `cleanup`, it is not over: the process says [`Outcome::Stopped`](crate::Outcome::Stopped), and the next start reaches them.
    ///
    /// A cancelled run that has failed otherwise, because a step that cleans up did, is tried again as ever, and one that has
    /// an open doubt asks.
    pub fn cancel(&self, run: impl Into<String>) -> Cancel<&Self> {
        Cancel { to: self, run: run.into() }
    }

    /// Whether the run whose body this is, or one around it, was given up.
    ///
    /// # Examples
    ///
    /// ```
    /// use durable_runtime::prelude::*;
    /// # use durable_runtime::Error;
    /// # async fn book(_: impl ToString) -> Result<u32, Error> { Ok(1) }
    /// # async fn pay_back(_: impl ToString) -> Result<u32, Error> { Ok(1) }
    ///
    /// #[durable_workflow(goal = "book a trip")]
    /// async fn trip(session: &Session) -> Result<u32, Error> {
    ///     if session.is_cancelled() {
    ///         #[side_effect(key = "refund" as refund, cleanup, idempotent)]
    ///         let refunded = pay_back(refund.token()).await?;
    ///         return Ok(refunded);
    ///     }
    ///     #[side_effect(key = "flight" as flight, idempotent)]
    ///     let flight = book(flight.token()).await?;
    ///     Ok(flight)
    /// }
    /// ```
    pub fn is_cancelled(&self) -> bool {
        let around = Around::of(self);
        self.shared.live().state.cancelled(&around.session.scope).is_some()
    }

    /// Notes that `key` was not begun since its run was given up. Nothing is wrong, so nothing stops; but the run comes to
    /// no result any more.
    pub(super) fn give_up(&self, key: &str, place: Place, error: &Error) {
        let mut live = self.shared.live();
        let live = &mut *live;
        let Some((cancelled, _)) = live.state.cancelled(&self.scope) else { return };
        let (key, why) = (key.to_owned(), error.to_string());
        let stop = Stop { key, place: Some(place), why, cause: Cause::Cancelled, way: None };
        live.start.give_up(&self.scope, cancelled, &stop);
    }
}

impl Word {
    /// Gives up the run `run` of a session that another process may hold, as [`Session::cancel`] does.
    pub fn cancel(run: impl Into<String>) -> Cancel<Post> {
        Cancel { to: Post(()), run: run.into() }
    }
}

impl Cancel<Post> {
    /// Completes the word: who gives the run up, and because of what.
    pub fn by(self, name: &str, because: &str) -> Word {
        Word(Ok(self.word(name, because)))
    }
}

impl<To> Cancel<To> {
    fn word(&self, name: &str, because: &str) -> word::Word {
        let (key, by, because) = (self.run.clone(), name.to_owned(), because.to_owned());
        word::Word { id: None, at: None, key, says: Says::Cancel, by, because }
    }
}

impl Cancel<&Session> {
    /// Records who gives the run up, and because of what. It is final.
    ///
    /// # Errors
    ///
    /// Fails if there is no such run, if it is finished or cancelled already, or if the disk refuses.
    ///
    /// # Crash safety
    ///
    /// The cancellation is durable when this returns.
    pub async fn by(self, name: &str, because: &str) -> Result<(), Error> {
        let (session, word) = (self.to, self.word(name, because));
        let now = session.shared.clock.now();
        {
            let mut live = session.shared.live();
            let cancel = live.state.admit(&word, now).map_err(|why| Kind::NotCancelled { run: self.run, why })?;
            live.push(now, cancel);
        }
        let promise = if broken::is(Broken::CancelNotSynced) { Commit::Written } else { Commit::Told };
        session.commit(promise).await.map_err(|source| session.not_written(source))?;
        // Whoever waits in it waits no longer.
        session.shared.words.notify_waiters();
        Ok(())
    }
}
