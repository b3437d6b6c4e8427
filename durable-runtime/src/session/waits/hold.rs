//! How a process passes the time while a step waits: it stays, or it ends and is started again later.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use crate::clock::pause;
use crate::core::start::{Cause, Place, Stop};
use crate::core::state::{Life, State};
use crate::core::time::Timestamp;
use crate::error::{Error, Kind, StopText};
use crate::session::Session;
use crate::session::inbox::LOOK;

/// What a process does while a step of it waits: for an instant, for a person, or for what may still land.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Waits {
    /// It stays, and goes on as soon as the wait is over.
    #[default]
    Hold,
    /// It stays for a few seconds; where a wait is longer its runs stop, as soon as nothing else in them is under way, with an error that says what is waited for and until
    /// when: see [`Error::is_waiting`] and [`Outcome::Waiting`](crate::Outcome::Waiting). Whoever started the process
    /// starts it again then.
    Exit,
}

/// How long a wait that is to end the process lets an effect beside it run before it looks again.
const REST: Duration = Duration::from_millis(10);

/// A wait that ends so soon is not worth another start.
const SHORT: Duration = Duration::from_secs(5);

/// How often everything else is polled before it is taken for idle.
const TURNS: u32 = 8;

/// What is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait<'a> {
    pub(crate) key: &'a str,
    pub(crate) at: Place,
    /// In words, behind "it waits": "until ..".
    pub(crate) what: &'a str,
    pub(crate) until: Option<Timestamp>,
    /// Whether it goes on when its run stops: it belongs to an effect that has begun, whose outcome is still recorded.
    pub(crate) outlasts_stop: bool,
}

impl Session {
    /// Waits until the clock shows the instant, or until `is_over`.
    ///
    /// # Errors
    ///
    /// Fails if the run is stopped meanwhile, unless the wait outlasts that, and if this start is not to wait: then the run
    /// stops.
    pub(crate) async fn hold(&self, wait: Wait<'_>, is_over: impl Fn(&State) -> bool) -> Result<(), Error> {
        if let Some(name) = self.shared.settings.speaks {
            crate::run::tell(name, &format!("`{}` waits {}", wait.key, wait.what));
        }
        let mut look = LOOK;
        loop {
            let mut word = pin!(self.shared.words.notified());
            word.as_mut().enable();
            self.take_words().await?;
            if wait.until.is_some_and(|until| self.shared.clock.now() >= until) || is_over(&self.shared.live().state) {
                return Ok(());
            }
            self.admits_wait(&wait)?;
            let is_short = wait.until.is_some_and(|until| until.since(self.shared.clock.now()) <= SHORT);
            if self.shared.settings.waits == Waits::Exit && !is_short {
                self.idle().await;
                return Err(self.leave_to_wait(wait));
            }
            let soon = is_short.then(|| Soon::of(self));
            self.pass(word, wait.until, look).await;
            drop(soon);
            look = if self.shared.settings.is_simulated { look * 2 } else { LOOK };
        }
    }

    /// Lets time pass until the instant, a word, or the next look into the inbox. Others come to their turn in any case:
    /// a clock that is set by hand waits for nothing.
    async fn pass(&self, word: Pin<&mut (impl Future<Output = ()> + Send)>, until: Option<Timestamp>, look: Duration) {
        let clock = async {
            match until {
                Some(until) => self.shared.clock.sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        first([word, pin!(clock), pin!(pause(look))]).await;
        tokio::task::yield_now().await;
    }

    fn admits_wait(&self, wait: &Wait<'_>) -> Result<(), Error> {
        let live = self.shared.live();
        match self.admits(&live, wait.key) {
            Err(error) if error.is_stopped() && wait.outlasts_stop && !live.start.closed => Ok(()),
            admitted => admitted,
        }
    }

    /// Lets everything else come as far as it can: an effect, a read or a verifier that runs is not left alone, and what
    /// follows it is begun.
    async fn idle(&self) {
        let mut seen = 0;
        loop {
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
            let (seq, runs) = {
                let state = &self.shared.live().state;
                (state.seq, state.open_steps().any(|(_, step)| matches!(step.life, Life::Reserved)))
            };
            if runs || self.shared.is_busy() {
                pause(REST).await;
            } else if seq == seen {
                return;
            }
            seen = seq;
        }
    }

    fn leave_to_wait(&self, wait: Wait<'_>) -> Error {
        let (key, at, what) = (wait.key.to_owned(), wait.at, wait.what.to_owned());
        let mut live = self.shared.live();
        if let Some(stop) = live.start.stop_of(&self.scope).filter(|stop| stop.cause != Cause::Waiting) {
            return Kind::Stopped { here: key, run: self.scope.to_string(), stop: StopText(stop.clone()) }.into();
        }
        let now = self.shared.clock.now();
        let until = live.state.wakes_after(now).chain(wait.until).min();
        let error = Error::from(Kind::Waiting { key: key.clone(), at, what, until });
        let stop = Stop { key, place: Some(at), why: error.to_string(), cause: Cause::Waiting, way: None };
        live.start.refuse(&self.scope, &stop);
        error
    }
}

/// A wait that is over so soon that whoever leaves waits for it.
struct Soon<'a>(&'a Session);

impl<'a> Soon<'a> {
    fn of(session: &'a Session) -> Self {
        session.shared.busy.fetch_add(1, Ordering::AcqRel);
        Self(session)
    }
}

impl Drop for Soon<'_> {
    fn drop(&mut self) {
        self.0.shared.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Waits for the first of them.
async fn first<const N: usize>(mut futures: [Pin<&mut (dyn Future<Output = ()> + Send)>; N]) {
    poll_fn(|context| {
        let is_ready = futures.iter_mut().any(|future| future.as_mut().poll(context).is_ready());
        if is_ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
