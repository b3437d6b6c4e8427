//! A decision: what is asked and shown is recorded, and so is the answer, which stays.

use std::borrow::Cow;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use serde::Serialize;

use super::asked::{Put, answered};
use super::lazy::Lazy;
use super::spot::Spot;
use crate::approval::Approval;
use crate::core::record::{APART_FROM, Stored};
use crate::core::start::Place;
use crate::core::text::{self, Text};
use crate::core::value;
use crate::core::waits::digest;
use crate::core::way_out::short;
use crate::error::{Error, Kind};
use crate::private::bounds::Decided;
use crate::session::Session;
use crate::session::run::{Reached, Run};

/// A decision that has no key yet. Made by [`Session::decide`].
///
/// It is no future: a decision needs a key, by which it is asked and answered. If the compiler says so, leave the `.await`
/// where it is and give it one:
///
/// - In a workflow, by the attribute:
///   `#[decision(key = "send", ask = "finance")] let send: Approval = session.decide().await?;`, and in a loop
///   `key = "send/{report.id}"`.
/// - In a plain call, in a function that is no workflow, and where a macro or a function awaits it:
///   `session.decide::<Approval>().key("send").ask("finance")`, and in a loop `.key(format!("send/{id}"))`.
#[must_use = "a decision is asked for when it has a key and is awaited"]
#[derive(Debug)]
pub struct DecideNeedsKey<'a, T> {
    session: &'a Session,
    gives: PhantomData<fn() -> T>,
}

/// A decision by its key. Made by [`DecideNeedsKey::key`]; `.await` it, or hand it to a macro that awaits several futures.
///
/// # Crash safety
///
/// The question is durable before anybody waits for its answer, and an answer before anybody goes on from it.
#[must_use = "a decision is asked for when it is awaited"]
#[derive(Debug)]
pub struct Decide<T>(Lazy<Asked<T>, Result<T, Error>>);

#[derive(Debug)]
struct Asked<T> {
    spot: Spot,
    ask: Cow<'static, str>,
    shown: Result<Stored, String>,
    expires: Option<Duration>,
    otherwise: Option<Result<Stored, String>>,
    gives: PhantomData<fn() -> T>,
}

/// What can stand for a decision that nobody has made: the value itself, or a text for an [`Approval`], which is then
/// declined for that reason.
#[diagnostic::on_unimplemented(
    message = "`on_expiry` must be what the decision gives, and `{Self}` is not for one that gives `{T}`",
    label = "this cannot stand for a decision that nobody has made",
    note = "give a `{T}`; for an `Approval` a text will do, which is why it is declined"
)]
pub trait IntoDecision<T> {
    /// The value.
    fn into_decision(self) -> T;
}

impl<T> IntoDecision<T> for T {
    fn into_decision(self) -> T {
        self
    }
}

impl IntoDecision<Approval> for &str {
    fn into_decision(self) -> Approval {
        Approval::declined("nobody", self)
    }
}

impl IntoDecision<String> for &str {
    fn into_decision(self) -> String {
        self.to_owned()
    }
}

impl Session {
    /// Asks a person to decide, and gives the answer: once, and again on every replay.
    ///
    /// In a workflow it stands behind `#[decision(key = "send", ask = "finance")]`; elsewhere it is given a key with
    /// [`key`](DecideNeedsKey::key). It is answered with [`answer`](Session::answer) or [`post`](crate::post).
    // What is decided is asked where it gets its key, so that a wrong type is said once.
    pub fn decide<T>(&self) -> DecideNeedsKey<'_, T> {
        DecideNeedsKey { session: self, gives: PhantomData }
    }
}

impl<T> DecideNeedsKey<'_, T> {
    /// Gives it a key, within the run that the handle belongs to.
    #[track_caller]
    pub fn key(self, key: impl Into<String>) -> Decide<T>
    where
        T: Decided + 'static,
    {
        Decide::new(Spot::plain(self.session, key.into(), Place::of_caller()), "operator".into())
    }
}

impl<T: Decided + 'static> Decide<T> {
    fn new(mut spot: Spot, ask: Cow<'static, str>) -> Self {
        spot.dropped_by = DROPPED_BY;
        let (shown, gives) = (value::encode(&()), PhantomData);
        let asked = Asked { spot, ask, shown, expires: None, otherwise: None, gives };
        Self(Lazy::Asked(asked, |asked| Box::pin(asked.decided())))
    }

    fn with(mut self, change: impl FnOnce(&mut Asked<T>)) -> Self {
        if let Some(asked) = self.0.asked() {
            change(asked);
        }
        self
    }

    /// What is decided, in words.
    pub fn title(self, title: impl Into<String>) -> Self {
        self.with(|asked| asked.spot.title = Some(asked.spot.said(title.into())))
    }

    /// Whom to ask. The default is `operator`.
    pub fn ask(self, who: impl Into<String>) -> Self {
        self.with(|asked| asked.ask = asked.spot.said(who.into()).into())
    }

    /// What is shown to whoever decides. The answer is bound to it: a decision that shows something else goes no further.
    pub fn shows<S: Serialize + ?Sized>(self, shown: &S) -> Self {
        // The answer is bound to what the next process shows, too.
        self.with(|asked| asked.shown = value::encode_sorted(shown))
    }

    /// How long an answer is awaited, counted from when it was first asked for. After that what
    /// [`on_expiry`](Self::on_expiry) says counts; without it the decision stays open, and the handoff says that it is
    /// overdue.
    pub fn expires(self, after: Duration) -> Self {
        self.with(|asked| asked.expires = Some(after))
    }

    /// What counts if nobody has answered in time. Recorded with the question: a later text in the code does not change it.
    pub fn on_expiry(self, value: impl IntoDecision<T>) -> Self {
        self.with(|asked| asked.otherwise = Some(value::encode(&value.into_decision())))
    }
}

impl<T> Future for Decide<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context)
    }
}

impl Run {
    /// A decision with what its attribute says.
    pub fn decide<T: Decided + 'static>(
        &self,
        key: &Reached,
        title: Option<Text>,
        _call: DecideNeedsKey<'_, T>,
    ) -> Decide<T> {
        Decide::new(Spot::of(self.session(), key, title), key.plan.ask.clone())
    }
}

/// How a question is asked that is not to stay open for ever.
const DROPPED_BY: &str = ", as a `select!` or a `tokio::time::timeout` around it does; to limit its time write `expires = \"24h\"` and `on_expiry = ..` into its attribute";

/// The most that is shown of an answer, in bytes.
const SHOWN: usize = 80;

/// What a person can take in, and a record can hold.
fn readable(value: Stored) -> Result<Stored, String> {
    match value.get().len() {
        size if size > APART_FROM => Err(format!("it takes {size} bytes, and {APART_FROM} are the most")),
        _ => Ok(value),
    }
}

/// Whether an answer is one; else, why not.
fn reads<T: Decided>(answer: &Stored) -> Result<(), String> {
    let gives = || short(std::any::type_name::<T>());
    let read = value::decode::<T>(answer).map(drop);
    let given = || text::clean(answer.get(), SHOWN);
    read.map_err(|error| format!("`{}` does not read as the `{}` that the decision gives: {error}", given(), gives()))
}

impl<T: Decided> Asked<T> {
    async fn decided(mut self) -> Result<T, Error> {
        let decided = match self.put() {
            Ok(put) => answered(&mut self.spot, &put, reads::<T>).await,
            Err(error) => Err(error),
        };
        let stored = match decided {
            Ok(stored) => stored,
            Err(error) => return Err(self.spot.refuse(error).await),
        };
        // Read once more, so that no value has to wait, which may be bound to this thread.
        let error = match value::decode(&stored) {
            Ok(value) => {
                self.spot.end();
                return Ok(value);
            }
            Err(error) => self.undecodable(error),
        };
        Err(self.spot.refuse(error).await)
    }

    fn put(&self) -> Result<Put, Error> {
        let unfit = |error: String| Kind::NotShown { key: self.spot.key.clone(), at: self.spot.at, error };
        let (shown, otherwise) = (self.shown.clone(), self.otherwise.clone().transpose());
        let fit = |value| readable(value).and_then(|value| self.spot.session.shared.discreet(&value).map(|()| value));
        let shown = shown.and_then(fit).map_err(unfit)?;
        let otherwise = otherwise.and_then(|value| value.map(fit).transpose()).map_err(unfit)?;
        let digest = value::canonical(shown.get()).map(|json| digest(&json)).map_err(unfit)?;
        let (ask, gives) = (self.ask.to_string(), short(std::any::type_name::<T>()));
        Ok(Put { ask, shown, digest, expires: self.expires, otherwise, gives })
    }

    fn undecodable(&self, error: String) -> Error {
        let ty = std::any::type_name::<T>();
        Kind::Undecodable { key: self.spot.key.clone(), ty, error }.into()
    }
}
