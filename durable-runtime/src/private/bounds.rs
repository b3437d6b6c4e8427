//! The bounds of the language, with the words that the compiler says when one is not met.
//!
//! To whoever does not meet a bound the compiler suggests to write it, and these are hidden. So each has a parameter
//! that stays open where it is not met, for there is a second way to meet it that no type has; and what is open cannot
//! be written.

use std::fmt::Display;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::core::failure::Failure;
use crate::error::Error;
use crate::session::Returns;

/// How a bound is met.
#[derive(Debug)]
pub enum Met {}

/// How none is.
#[derive(Debug)]
pub enum Unmet {}

/// No type is it.
pub trait Impossible {}

/// A value that a log can keep: the result of a step.
#[diagnostic::on_unimplemented(
    message = "the result of a durable step must be `Serialize + DeserializeOwned`, but `{Self}` is not",
    label = "this step's result cannot be written to the log and read back",
    note = "add `#[derive(serde::Serialize, serde::Deserialize)]` to `{Self}`, or let the step give only what later steps need",
    note = "if it borrows, let the step give a value of its own, `.to_owned()`: another process reads it back",
    note = "if it is a type parameter, add `{Self}: serde::Serialize + serde::de::DeserializeOwned` to the `where` clause"
)]
pub trait Recordable<X = Met>: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Recordable for T {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + Impossible> Recordable<Unmet> for T {}

/// A value that a log can keep: the answer of a person.
#[diagnostic::on_unimplemented(
    message = "what is decided must be `Serialize + DeserializeOwned`, but `{Self}` is not",
    label = "an answer of this type cannot be written to the log and read back",
    note = "say what is decided where that is not yet said: `let send: Approval = session.decide().await?`",
    note = "add `#[derive(serde::Serialize, serde::Deserialize)]` to a type of your own"
)]
pub trait Decided: Serialize + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Decided for T {}

/// A value that a log can keep: the result of a workflow.
#[diagnostic::on_unimplemented(
    message = "the result of a durable workflow must be `Serialize + DeserializeOwned`, but `{Self}` is not",
    label = "what this workflow gives cannot be written to the log and read back",
    note = "add `#[derive(serde::Serialize, serde::Deserialize)]` to `{Self}`, or return only what callers need",
    note = "if it is a type parameter, add `{Self}: serde::Serialize + serde::de::DeserializeOwned` to the `where` clause"
)]
pub trait WorkflowValue<X = Met>: Recordable {}

#[diagnostic::do_not_recommend]
impl<T: Recordable> WorkflowValue for T {}

#[diagnostic::do_not_recommend]
impl<T: Recordable + Impossible> WorkflowValue<Unmet> for T {}

/// A value that a log can keep as the input of a run, by value or by reference.
#[diagnostic::on_unimplemented(
    message = "an input of a durable workflow must be `Serialize + DeserializeOwned`, but `{Self}` is not",
    label = "this parameter cannot be recorded",
    note = "mark it `#[resource]` if it is a client, a handle or anything that each process makes anew",
    note = "otherwise add `#[derive(serde::Serialize, serde::Deserialize)]` to the type, or the bound `Serialize + DeserializeOwned` to the type parameter"
)]
pub trait Recorded<X = Met>: Serialize {
    /// What it is read back as.
    type Owned: DeserializeOwned;

    /// What was read back, as the parameter had it.
    fn lend(owned: &Self::Owned) -> &Self;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Recorded for T {
    type Owned = T;

    fn lend(owned: &T) -> &T {
        owned
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + Impossible> Recorded<Unmet> for T {
    type Owned = T;

    fn lend(owned: &T) -> &T {
        owned
    }
}

#[diagnostic::do_not_recommend]
impl Recorded for str {
    type Owned = String;

    fn lend(owned: &String) -> &str {
        owned
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Recorded for [T] {
    type Owned = Vec<T>;

    fn lend(owned: &Vec<T>) -> &[T] {
        owned
    }
}

#[diagnostic::do_not_recommend]
impl Recorded for Path {
    type Owned = PathBuf;

    fn lend(owned: &PathBuf) -> &Path {
        owned
    }
}

/// The error of a step, before the user's `?`.
#[diagnostic::on_unimplemented(
    message = "the error of a durable step must be `Display`, but `{Self}` is not",
    label = "an error of a step in this workflow cannot be recorded in words",
    note = "write `impl std::fmt::Display for {Self}`, or derive it"
)]
pub trait Failing<X = Met>: Display {}

#[diagnostic::do_not_recommend]
impl<E: Display> Failing for E {}

#[diagnostic::do_not_recommend]
impl<E: Display + Impossible> Failing<Unmet> for E {}

/// What the `?` behind a step stands behind.
#[diagnostic::on_unimplemented(
    message = "the `?` of a step stands behind a `Result`, but this step gives `{Self}`",
    label = "there is no error in this that could be recorded",
    note = "if this is an `Option`, write `.ok_or(error)?`, or take the `?` out, and the `Option` is recorded as it is",
    note = "if this is a future, write `.await?`",
    note = "any other value is recorded without the `?`"
)]
pub trait Attempted<T, E> {
    /// As a plain result.
    ///
    /// # Errors
    ///
    /// Gives the step's own.
    fn into_result(self) -> Result<T, E>;
}

impl<T, E> Attempted<T, E> for Result<T, E> {
    fn into_result(self) -> Self {
        self
    }
}

/// What a step is given.
#[diagnostic::on_unimplemented(
    message = "the `args` of a step must be `Serialize`, but `{Self}` is not",
    label = "this cannot be compared with what is recorded",
    note = "name what identifies it, or add `#[derive(serde::Serialize)]` to `{Self}`"
)]
pub trait Comparable<X = Met>: Serialize {}

#[diagnostic::do_not_recommend]
impl<A: Serialize + ?Sized> Comparable for A {}

#[diagnostic::do_not_recommend]
impl<A: Serialize + Impossible + ?Sized> Comparable<Unmet> for A {}

/// What a person is shown.
#[diagnostic::on_unimplemented(
    message = "what a decision `shows` must be `Serialize`, but `{Self}` is not",
    label = "nobody could be shown this",
    note = "show what the person needs to know of it, or add `#[derive(serde::Serialize)]` to `{Self}`"
)]
pub trait Showable<X = Met>: Serialize {}

#[diagnostic::do_not_recommend]
impl<S: Serialize + ?Sized> Showable for S {}

#[diagnostic::do_not_recommend]
impl<S: Serialize + Impossible + ?Sized> Showable<Unmet> for S {}

/// What a step gives whose errors are recorded.
#[diagnostic::on_unimplemented(
    message = "with `errors = \"recorded\"` a step gives a `Result`, but this one gives `{Self}`",
    label = "this step has no error to record",
    note = "take `errors = \"recorded\"` out: the value is recorded without it"
)]
pub trait StepOutcome<T, E> {
    /// As a plain result.
    ///
    /// # Errors
    ///
    /// Gives the step's own.
    fn into_result(self) -> Result<T, E>;
}

impl<T, E> StepOutcome<T, E> for Result<T, E> {
    fn into_result(self) -> Self {
        self
    }
}

/// The error of a workflow.
#[diagnostic::on_unimplemented(
    message = "the error type of a durable workflow must implement `From<durable_runtime::Error>` and `Display`, but `{Self}` does not",
    label = "a session that cannot go on could not be reported through this type",
    note = "write `impl From<durable_runtime::Error> for {Self}` and `impl std::fmt::Display for {Self}`, whichever is missing, if it is your own type (with thiserror: a variant with `#[from] durable_runtime::Error`); else return `anyhow::Error`, or an error of your own around it"
)]
pub trait WorkflowError<X = Met>: From<Error> + Failing<X> {}

#[diagnostic::do_not_recommend]
impl<E: From<Error> + Display> WorkflowError for E {}

#[diagnostic::do_not_recommend]
impl<E: From<Error> + Failing<Unmet> + Impossible> WorkflowError<Unmet> for E {}

/// What an `async` block or a closure around a step gives.
#[diagnostic::on_unimplemented(
    message = "a step may have to stop its run, and the block or closure around it gives `{Self}`, which cannot say so",
    label = "it is left here by an error of the session",
    note = "let it give a `Result`, whose error implements `From<durable_runtime::Error>`: end it with `Ok::<_, durable_runtime::Error>(value)`, and write `?` behind it"
)]
pub trait Leaves {
    /// What it gives when a step leaves it.
    fn leave(error: Error) -> Self;
}

impl<T, E: Stops> Leaves for Result<T, E> {
    fn leave(error: Error) -> Self {
        Err(error.into())
    }
}

/// The same where it is not evident that it is a `Result`: what cannot hold an error is said once, of the session's and of
/// the step's together.
#[diagnostic::on_unimplemented(
    message = "a step may have to stop its run, and the block or closure around it gives `{Self}`, which cannot say so",
    label = "it is left here by an error, of the step or of the session",
    note = "let it give a `Result`: end it with `Ok::<_, {E}>(value)`, or with the workflow's error in the place of that, and write `?` behind it"
)]
pub trait LeavesBy<E> {
    /// What it gives when the session stops it.
    fn leave(error: Error) -> Self;

    /// What it gives when the step fails.
    fn fail(error: E) -> Self;
}

impl<T, E, F: Stops + FromStep<E>> LeavesBy<E> for Result<T, F> {
    fn leave(error: Error) -> Self {
        Err(error.into())
    }

    fn fail(error: E) -> Self {
        Err(error.into())
    }
}

/// The error of an `async` block or a closure, into which that of a step becomes.
#[diagnostic::on_unimplemented(
    message = "`?` couldn't convert the error to `{Self}`",
    label = "the trait `From<{E}>` is not implemented for `{Self}`",
    note = "the question mark operation (`?`) implicitly performs a conversion on the error value using the `From` trait"
)]
pub trait FromStep<E>: From<E> {}

#[diagnostic::do_not_recommend]
impl<E, F: From<E>> FromStep<E> for F {}

/// The error by which a step leaves an `async` block or a closure.
#[diagnostic::on_unimplemented(
    message = "a step may have to stop its run, and the error of the block or closure around it does not implement `From<durable_runtime::Error>`: `{Self}`",
    label = "it is left here by an error of the session",
    note = "where the step's own `Result` is the value, wrap it: end the block with `Ok::<_, durable_runtime::Error>(value)`, and write `?` behind the block"
)]
pub trait Stops: From<Error> {}

#[diagnostic::do_not_recommend]
impl<E: From<Error>> Stops for E {}

/// What `classify` is computed to be.
#[diagnostic::on_unimplemented(
    message = "`classify` is a function of the step's error, `fn(&{E}) -> Failure`, and this gives `{Self}`",
    label = "this cannot say what an error proves",
    note = "name the function, `classify = BankError::classify`, or write `classify = |error: &{E}| ..`"
)]
pub trait Classifier<E> {
    /// What the error proves.
    fn classify(self, error: &E) -> Failure;
}

#[diagnostic::do_not_recommend]
impl<E, F: FnOnce(&E) -> Failure> Classifier<E> for F {
    fn classify(self, error: &E) -> Failure {
        self(error)
    }
}

/// What a workflow returns.
pub trait WorkflowResult: Sized {
    /// What a finished run gives.
    type Ok;
    /// How a run fails.
    type Err;

    /// As a plain result.
    fn into_result(self) -> Result<Self::Ok, Self::Err>;

    /// From a plain result.
    fn from_result(result: Result<Self::Ok, Self::Err>) -> Self;
}

impl<T, E> WorkflowResult for Result<T, E> {
    type Ok = T;
    type Err = E;

    fn into_result(self) -> Self {
        self
    }

    fn from_result(result: Self) -> Self {
        result
    }
}

/// A return type, to be asked whether it is a `Result`. Of one that is not the compiler takes the answer for a mistake
/// whose type it does not know, and of what has no type it says nothing else.
#[derive(Debug)]
pub struct Returned<R>(pub(super) PhantomData<fn() -> R>);

/// The return type of a workflow.
#[diagnostic::on_unimplemented(
    message = "a durable workflow returns a `Result`, not `{R}`",
    label = "a session that cannot go on could not be reported",
    note = "return `Result<{R}, E>`, where `E` implements `From<durable_runtime::Error>`"
)]
pub trait IsResult<R> {}

impl<T, E> IsResult<Result<T, E>> for Returned<Result<T, E>> {}

impl<R> Returned<R>
where
    Self: IsResult<R>,
{
    /// It is one.
    pub fn is_result(self) -> IsOne<R> {
        IsOne(self.0)
    }
}

/// A return type that is a `Result`.
#[derive(Debug)]
pub struct IsOne<R>(PhantomData<fn() -> R>);

impl<R> IsOne<R> {
    /// What can be done with it.
    pub fn made_by(self, make: fn() -> Returns<R>) -> Returns<R> {
        make()
    }
}
