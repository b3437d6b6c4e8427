//! A sleep: its end is recorded when it is first reached, and never computed again.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use super::hold::Wait;
use super::lazy::Lazy;
use super::spot::Spot;
use crate::core::record::{self, Woke};
use crate::core::start::Place;
use crate::core::state::State;
use crate::core::text::Text;
use crate::core::time::Timestamp;
use crate::core::waits::{Nap, nap};
use crate::error::Error;
use crate::session::Session;
use crate::session::commit::Commit;
use crate::session::run::{Reached, Run};

/// A sleep that has no key yet. Made by [`Session::sleep`] and [`Session::sleep_until`].
///
/// It is no future: a sleep needs a key, by which the next process knows how long it has slept. If the compiler says so,
/// leave the `.await` where it is and give it one:
///
/// - In a workflow, by the attribute: `#[sleep(key = "cool-down")] session.sleep(day).await?;`, and in a loop
///   `key = "cool-down/{round}"`.
/// - In a plain call, in a function that is no workflow, and where a macro or a function awaits it:
///   `session.sleep(day).key("cool-down")`, and in a loop `.key(format!("cool-down/{round}"))`.
#[must_use = "a sleep begins when it has a key and is awaited"]
#[derive(Debug)]
pub struct SleepNeedsKey<'a> {
    session: &'a Session,
    end: End,
}

/// A sleep by its key. Made by [`SleepNeedsKey::key`]; `.await` it, or hand it to a macro that awaits several futures.
///
/// # Crash safety
///
/// The instant at which it ends is durable before it begins; a kill does not make it longer.
#[must_use = "a sleep begins when it is awaited"]
#[derive(Debug)]
pub struct Sleep(Lazy<Asked, Result<(), Error>>);

#[derive(Debug)]
struct Asked {
    spot: Spot,
    end: End,
}

/// When it ends, as the code says.
#[derive(Clone, Copy, Debug)]
enum End {
    After(Duration),
    At(Timestamp),
}

impl Session {
    /// Sleeps for this long, once: the instant at which it ends is recorded when it is first reached, and a start that comes
    /// later sleeps the rest.
    ///
    /// In a workflow it stands behind `#[sleep(key = "cool-down")]`; elsewhere it is given a key with
    /// [`key`](SleepNeedsKey::key).
    pub fn sleep(&self, length: Duration) -> SleepNeedsKey<'_> {
        SleepNeedsKey { session: self, end: End::After(length) }
    }

    /// Sleeps until this instant, as [`sleep`](Self::sleep) does. It never ends before, whatever becomes of the clock; if
    /// the instant is over, it ends at once.
    pub fn sleep_until(&self, instant: SystemTime) -> SleepNeedsKey<'_> {
        SleepNeedsKey { session: self, end: End::At(instant.into()) }
    }
}

impl SleepNeedsKey<'_> {
    /// Gives it a key, within the run that the handle belongs to.
    #[track_caller]
    pub fn key(self, key: impl Into<String>) -> Sleep {
        Sleep::new(Spot::plain(self.session, key.into(), Place::of_caller()), self.end)
    }
}

impl Sleep {
    fn new(mut spot: Spot, end: End) -> Self {
        spot.dropped_by = DROPPED_BY;
        Self(Lazy::Asked(Asked { spot, end }, |Asked { spot, end }| Box::pin(sleep(spot, end))))
    }

    /// What it waits for, in words.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        if let Some(asked) = self.0.asked() {
            asked.spot.title = Some(asked.spot.said(title.into()));
        }
        self
    }
}

impl Future for Sleep {
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

/// What drops a sleep, and what to write instead.
const DROPPED_BY: &str = ", as a `select!` or a `tokio::time::timeout` around it does; what is to end in time says so itself: a decision with `expires = \"24h\"` and `on_expiry = ..`, a call with `timeout = \"30s\"`";

impl Run {
    /// A sleep with what its attribute says.
    pub fn sleep(&self, key: &Reached, title: Option<Text>, call: SleepNeedsKey<'_>) -> Sleep {
        Sleep::new(Spot::of(self.session(), key, title), call.end)
    }
}

async fn sleep(mut spot: Spot, end: End) -> Result<(), Error> {
    let slept = through(&mut spot, end).await;
    match slept {
        Ok(()) => {
            spot.end();
            Ok(())
        }
        Err(error) => Err(spot.refuse(error).await),
    }
}

async fn through(spot: &mut Spot, end: End) -> Result<(), Error> {
    let Some(until) = begin(spot, end)? else { return Ok(()) };
    let session = spot.session.clone();
    // Before anybody relies on it: a start that found no end would sleep the whole again.
    session.commit(Commit::Told).await.map_err(|source| session.not_written(source))?;
    tracing::info!(key = spot.key, %until, "sleeps");
    let what = format!("until {until}");
    let is_given_up = |state: &State| state.cancelled(&session.scope).is_some();
    session
        .hold(Wait { key: &spot.key, at: spot.at, what: &what, until: Some(until), outlasts_stop: false }, is_given_up)
        .await?;
    spot.is_wanted(&session.shared.live())?;
    session.shared.push(Woke { key: spot.key.clone() });
    session.commit(Commit::Written).await.map_err(|source| session.not_written(source))
}

/// When it ends, recorded now or before; `None` if it has ended.
fn begin(spot: &mut Spot, end: End) -> Result<Option<Timestamp>, Error> {
    spot.reach(|spot, live, now| {
        let gone = live.state.gone(&spot.session.scope);
        match nap(live.state.steps.get(&spot.key), gone) {
            Nap::Over => {
                live.start.replay(&spot.key);
                Ok(None)
            }
            Nap::Ends(until) => Ok(Some(until)),
            Nap::Refused(refusal) => Err(spot.refusal(refusal)),
            Nap::Begins => {
                let until = end.from(now);
                let (key, run, shape) = (spot.key.clone(), spot.session.scope.to_string(), spot.shape.clone());
                live.push(
                    now,
                    record::Wait { key, run, shape, title: spot.title.clone(), until, why: SLEEP.to_owned() },
                );
                Ok(Some(until))
            }
        }
    })
}

/// What the record says that is waited for.
const SLEEP: &str = "sleep";

impl End {
    fn from(self, now: Timestamp) -> Timestamp {
        match self {
            Self::After(length) => now.after(length),
            Self::At(instant) => instant,
        }
    }
}
