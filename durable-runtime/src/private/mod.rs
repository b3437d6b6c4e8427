//! What the expansion of the macros calls. Not part of the API: it changes with the macros, and they move together.

pub mod bounds;
pub mod editor;
mod forgotten;
mod macros;
mod probe;
pub mod threads;

use std::fmt::Arguments;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;

use serde::Serialize;

pub use crate::__for_editors as for_editors;
pub use crate::core::key::{Hole, KeyPart, StepKey};
pub use crate::core::meta::{Proof, StepKind, StepMeta, WorkflowMeta};
pub use crate::core::policy::{Backoff, Limit, Policy, Whose};
pub use crate::core::step_error::StepError;
pub use crate::core::text::Text;
pub use crate::error::Error;
pub use crate::helpers::{AllOf, FirstError};
pub use crate::session::{
    Codec, Decide, DecideNeedsKey, Former, Given, Inputs, Returns, Run, Session, SleepNeedsKey, Slot,
};
pub use ::tokio;
use bounds::{
    Attempted, Classifier, Failing, Leaves, LeavesBy, Recorded, Returned, Showable, StepOutcome, WorkflowError,
    WorkflowResult, WorkflowValue,
};
pub use forgotten::{LosesFuture, LosesFutures};
pub use macros::{expanded, expands};
pub use probe::{
    HoldsResult, IsBorrowed, IsFuture, IsResult, LosesError, LosesNothing, Makes, Named, PlainValue, Probe, Seen,
};
pub use threads::{Moving, codec, named, send_unless_local};

use crate::core::key::FormattedPart;
use crate::core::record::Stored;
use crate::session::{Asked, told};
use crate::verdict::{IntoFetched, IntoVerdict, Verdict};

/// The return type of a workflow.
pub fn returned<R>() -> Returned<R> {
    Returned(PhantomData)
}

/// What can be done with the result of a workflow that returns `R`.
pub fn returns<R: WorkflowResult<Ok: WorkflowValue<X>, Err: WorkflowError<Y>>, X, Y>() -> Returns<R> {
    Returns::new()
}

/// How a step leaves the `async` block or the closure around it, when its run cannot go on.
pub fn leave<R: Leaves>(error: Error) -> R {
    R::leave(error)
}

/// The same where it is not evident what that gives, by an error of the session or of the step.
pub fn leave_by<R: LeavesBy<E>, T, E>(outcome: Result<Result<T, E>, Error>) -> R {
    match outcome {
        Ok(Err(error)) => R::fail(error),
        Err(error) => R::leave(error),
        Ok(Ok(_)) => unreachable!("a step with a value is not left"),
    }
}

/// Enters a run, in the run whose body calls. The key is made before the first `await`: what fills its holes need not
/// be `Send`.
///
/// # Errors
///
/// Fails if the run cannot be begun, or gone on with.
pub fn enter(
    session: &Session,
    meta: &'static WorkflowMeta,
    pieces: &[&str],
    holes: &[Hole<'_>],
    goal: Option<Text>,
    inputs: Inputs,
) -> impl Future<Output = Result<Run, Error>> + use<> {
    let asked = Asked::of(session, meta, pieces, holes, &[]);
    async move { crate::session::enter(asked, meta, goal, inputs).await }
}

/// The same for a workflow that had other names or keys before.
///
/// # Errors
///
/// See [`enter`].
pub fn enter_formerly(
    session: &Session,
    meta: &'static WorkflowMeta,
    (pieces, holes): Former<'_>,
    former: &[Former<'_>],
    goal: Option<Text>,
    inputs: Inputs,
) -> impl Future<Output = Result<Run, Error>> + use<> {
    let asked = Asked::of(session, meta, pieces, holes, former);
    async move { crate::session::enter(asked, meta, goal, inputs).await }
}

/// The value of an input that a run was begun without.
///
/// # Errors
///
/// Fails if it cannot be written as JSON.
pub fn default_input<T: Serialize>(value: &T) -> Result<Stored, String> {
    crate::core::value::encode(value)
}

/// The same for what a `&` refers to.
///
/// # Errors
///
/// Fails if it cannot be written as JSON.
pub fn standard_input<T: Recorded<X, Owned: Default> + ?Sized, X>() -> Result<Stored, String> {
    crate::core::value::encode(T::lend(&T::Owned::default()))
}

/// A future that can be polled.
pub fn boxed<F: Future>(future: F) -> Pin<Box<F>> {
    Box::pin(future)
}

/// Polls the body of a run, and records how it ended.
pub fn drive<R, F: Future<Output = R>>(run: &Run, returns: &Returns<R>, body: Pin<&mut F>) -> impl Future<Output = R> {
    crate::session::drive(run, *returns, body)
}

/// Fixes the error type of such a block by whoever classifies its errors.
pub fn classified_body<T, E, F: Future<Output = Result<T, E>>>(_classify: impl Classifier<E>, body: F) -> F {
    body
}

/// The words in which the error of a step is recorded.
pub fn words<E: Failing<X>, X>(error: &E) -> String {
    told(error)
}

/// The outcome of a step behind which a `?` stands.
///
/// # Errors
///
/// Gives the step's own.
pub fn attempted<T, E, R: Attempted<T, E>>(outcome: R) -> Result<T, E> {
    outcome.into_result()
}

/// The outcome of a step whose errors are recorded.
///
/// # Errors
///
/// Gives the step's own.
pub fn outcome<T, E, R: StepOutcome<T, E>>(outcome: R) -> Result<T, E> {
    outcome.into_result()
}

/// The type of a step with `errors = "recorded"`, in a function that does not compile for another reason.
pub fn recorded<T, E>(_outcome: Result<T, E>) -> Result<T, StepError> {
    unreachable!("the function around it does not compile")
}

/// What a step would give that stands where nothing can be awaited, in a function that does not compile for that reason.
pub fn awaited<F: Future>(_step: F) -> F::Output {
    unreachable!("the function around it does not compile")
}

/// What a step would give whose `?` may stand where nothing can be left, in a function that does not compile for another
/// reason.
pub fn taken<T, E>(_outcome: Result<T, E>) -> T {
    unreachable!("the function around it does not compile")
}

/// What a sleep gives, in a function that does not compile for another reason.
pub fn slept(_call: SleepNeedsKey<'_>) {
    unreachable!("the function around it does not compile")
}

/// What a decision gives, in a function that does not compile for another reason.
pub fn decided<T>(_call: DecideNeedsKey<'_, T>) -> T {
    unreachable!("the function around it does not compile")
}

/// What has a `sleep` of its own, in a function that does not compile because it was taken for a session.
pub trait Keyed: Sized {
    /// Itself. That of a wait without a key comes first.
    fn key(self, _key: &str) -> Self {
        self
    }
}

impl<T> Keyed for T {}

/// The type of a run with `errors = "later"`, in a function that does not compile for another reason.
pub fn later<T, E>(_outcome: Result<T, E>) -> Option<T> {
    unreachable!("the function around it does not compile")
}

/// What an `async` block gives that holds no error, in a function that does not compile for that reason.
pub fn nothing<R: WorkflowResult>() -> Result<(), R::Err> {
    unreachable!("the function around it does not compile")
}

/// What `verify` gave, as a verdict.
pub fn verdict<T, V: IntoVerdict<T>>(answer: V) -> Verdict<T> {
    answer.into_verdict()
}

/// What `refetch` gave, as a verdict.
pub fn fetched<T, V: IntoFetched<T>>(answer: V) -> Verdict<T> {
    answer.into_fetched()
}

/// What a person is shown.
pub fn shown<S: Showable<X> + ?Sized, X>(shown: &S) -> &(impl Serialize + ?Sized) {
    shown
}

/// A key that a step or a run had before.
pub fn former<'a>(pieces: &'a [&'a str], holes: &'a [Hole<'a>]) -> Former<'a> {
    (pieces, holes)
}

/// A value that fills a hole.
pub fn hole<K: KeyPart>(part: &K) -> Hole<'_> {
    Hole::Part(part)
}

/// A value that fills a hole with a format.
pub fn hole_as<'a, K: FormattedPart + ?Sized>(_part: &'a K, text: Arguments<'a>) -> Hole<'a> {
    Hole::Text(text)
}
