//! Finds out what the value of a step is: method lookup tries the impls for `Probe<Result<..>>` and for `Probe<&..>` before
//! the one for `&Probe<T>`, and only the former ask for what no type has.

use std::fmt;
use std::marker::PhantomData;

use crate::error::Error;

/// The type of a value.
pub struct Probe<T>(PhantomData<fn() -> T>);

/// Any value. Its method is called on the value itself, which the compiler does only when it knows the type: else it
/// would take an unknown one for a `Result`.
pub trait Seen: Sized {
    /// Its type.
    fn __durable_seen(&self) -> Probe<Self> {
        Probe::default()
    }
}

impl<T> Seen for T {}

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "this step's value is a `Result`, whose error would be recorded as a success",
    label = "a step without `?` gives a value that cannot fail",
    note = "write `?` behind the step: then an error stops the run, and the step is verified or tried again",
    note = "or write `errors = \"recorded\"` in its attribute: then an error is a value, once it is proven that nothing happened"
)]
pub trait NotAResult {}

/// A `Result`.
pub trait IsResult: Sized {
    /// Refuses it. Nothing of it comes into the record, so that it is not refused a second time for what is in it.
    fn pass<V: NotAResult>(self, _value: V) {
        unreachable!("no type is `NotAResult`")
    }

    /// The same where `verify` says what the step gives, so that its answer is not wrong as well.
    fn pass_verified<V: NotAResult, T>(self, _value: V) -> T {
        unreachable!("no type is `NotAResult`")
    }

    /// Whatever the code behind the step expects: what is in the `Result`, where the `?` was forgotten, or all of it.
    ///
    /// # Errors
    ///
    /// None: it is never called.
    fn give<V, T>(self, _closed: V) -> Result<T, Error> {
        unreachable!("no type is `NotAResult`")
    }

    /// The same behind a step that can fail before it comes to its value.
    ///
    /// # Errors
    ///
    /// None: it is never called.
    fn give_fallible<V, T>(self, _closed: V) -> Result<Result<T, Error>, Error> {
        unreachable!("no type is `NotAResult`")
    }
}

impl<T, E> IsResult for Probe<Result<T, E>> {}

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "this step's value holds `Result`s, whose errors would be recorded as successes: `{Self}`",
    label = "a step without `?` gives a value that cannot fail",
    note = "write `.collect::<Result<Vec<_>, _>>()?` of many, `.transpose()?` of an `Option`, or `try_join!(..)?`: then an error stops the run",
    note = "or give each of them a step of its own, with `errors = \"recorded\"` where an error is a value"
)]
pub trait HoldsNoResult {}

/// Values that evidently hold a `Result`.
pub trait HoldsResult: Sized {
    /// What the step gives as it was written.
    type Value;

    /// Refuses it, as [`IsResult`] does.
    fn pass<V: HoldsNoResult>(self, _value: V) {
        unreachable!("no type is `HoldsNoResult`")
    }

    /// The same where `verify` says what the step gives, so that its answer is not wrong as well.
    fn pass_verified<V: HoldsNoResult, T>(self, _value: V) -> T {
        unreachable!("no type is `HoldsNoResult`")
    }

    /// What the code behind the step expects, so that it is not wrong as well.
    ///
    /// # Errors
    ///
    /// None: it is never called.
    fn give<V>(self, _closed: V) -> Result<Self::Value, Error> {
        unreachable!("no type is `HoldsNoResult`")
    }

    /// The same behind a step that can fail before it comes to its value.
    ///
    /// # Errors
    ///
    /// None: it is never called.
    fn give_fallible<V>(self, _closed: V) -> Result<Result<Self::Value, Error>, Error> {
        unreachable!("no type is `HoldsNoResult`")
    }
}

impl<T, E> HoldsResult for Probe<Vec<Result<T, E>>> {
    type Value = Vec<Result<T, E>>;
}

impl<T, E> HoldsResult for Probe<Option<Result<T, E>>> {
    type Value = Option<Result<T, E>>;
}

impl<T, E, const N: usize> HoldsResult for Probe<[Result<T, E>; N]> {
    type Value = [Result<T, E>; N];
}

impl<A, E, B> HoldsResult for Probe<(Result<A, E>, B)> {
    type Value = (Result<A, E>, B);
}

impl<A, E, B, C> HoldsResult for Probe<(Result<A, E>, B, C)> {
    type Value = (Result<A, E>, B, C);
}

impl<A, E, B, C, D> HoldsResult for Probe<(Result<A, E>, B, C, D)> {
    type Value = (Result<A, E>, B, C, D);
}

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "this step's value is borrowed, `{Self}`, and another process has nothing to borrow it from",
    label = "a step gives a value of its own",
    note = "write `.to_owned()` behind it: a `&str` becomes a `String`, and a `&[T]` a `Vec<T>`",
    note = "behind an `Option`, write `.cloned()`, or `.map(str::to_owned)`"
)]
pub trait NotBorrowed {}

/// A `&`. The bound of what can be recorded would say it in words about lifetimes.
pub trait IsBorrowed: Sized {
    /// What the step gives as it was written.
    type Value;

    /// Refuses it, as [`IsResult`] does.
    fn pass<V: NotBorrowed>(self, _value: V) {
        unreachable!("no type is `NotBorrowed`")
    }

    /// The same where `verify` says what the step gives, so that its answer is not wrong as well.
    fn pass_verified<V: NotBorrowed, T>(self, _value: V) -> T {
        unreachable!("no type is `NotBorrowed`")
    }

    /// What the code behind the step expects, so that it is not wrong as well.
    ///
    /// # Errors
    ///
    /// None: it is never called.
    fn give<V>(self, _closed: V) -> Result<Self::Value, Error> {
        unreachable!("no type is `NotBorrowed`")
    }

    /// The same behind a step that can fail before it comes to its value.
    ///
    /// # Errors
    ///
    /// None: it is never called.
    fn give_fallible<V>(self, _closed: V) -> Result<Result<Self::Value, Error>, Error> {
        unreachable!("no type is `NotBorrowed`")
    }
}

impl<'a, T: ?Sized> IsBorrowed for Probe<&'a T> {
    type Value = &'a T;
}

impl<'a, T: ?Sized> IsBorrowed for Probe<Option<&'a T>> {
    type Value = Option<&'a T>;
}

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "this step is a future that nobody awaits, so nothing has happened when it is recorded",
    label = "write `.await` behind it, or `.await?` if it can fail",
    note = "in a branch of `select!` or `join!`, which await futures of their own, write the step into one: `async {{ #[side_effect(..)] call().await }}`"
)]
pub trait NotAFuture {}

/// A future. Whatever else is wrong with it is so because it is not awaited.
pub trait IsFuture: Sized {
    /// Refuses it, as [`IsResult`] does.
    fn pass<V: NotAFuture>(self, _value: V) {
        unreachable!("no type is `NotAFuture`")
    }

    /// The same where `verify` says what the step gives, so that its answer is not wrong as well.
    fn pass_verified<V: NotAFuture, T>(self, _value: V) -> T {
        unreachable!("no type is `NotAFuture`")
    }

    /// Whatever the code behind the step expects.
    ///
    /// # Errors
    ///
    /// None: it is never called.
    fn give<V, T>(self, _closed: V) -> Result<T, Error> {
        unreachable!("no type is `NotAFuture`")
    }

    /// The same behind a step that can fail before it comes to its value.
    ///
    /// # Errors
    ///
    /// None: it is never called.
    fn give_fallible<V, T>(self, _closed: V) -> Result<Result<T, Error>, Error> {
        unreachable!("no type is `NotAFuture`")
    }
}

impl<F: Future> IsFuture for Probe<F> {}

/// Any other value.
pub trait PlainValue: Sized {
    /// Accepts it.
    fn pass<V>(self, value: V) -> V {
        value
    }

    /// The same.
    fn pass_verified<V>(self, value: V) -> V {
        value
    }

    /// Gives what the step came to.
    fn give<V>(self, closed: V) -> V {
        closed
    }

    /// The same behind a step that can fail before it comes to its value.
    fn give_fallible<V>(self, closed: V) -> V {
        closed
    }
}

impl<T> PlainValue for &Probe<T> {}

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "whether this effect has failed is dropped here, and the step would be recorded as done",
    label = "a `Result`, whose error nobody sees",
    note = "write `?` behind the call, or let the step end with it"
)]
pub trait NotDropped {}

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "an effect that failed, or may have happened, would be recorded here as a value",
    label = "a `Result`, whose error is taken off",
    note = "write `errors = \"recorded\"` into the attribute, which has it verified first, and what takes the error off behind the step, on what that gives"
)]
pub trait NotTakenOff {}

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "an error of whoever is asked proves nothing, and this would make an answer of it",
    label = "a `Result`, whose error is taken off",
    note = "let it out, for a `Result` is an answer too, or give `Verdict::Unknown(error.to_string())`"
)]
pub trait NotSilenced {}

/// A `Result` whose error is lost.
pub trait LosesError: Sized {
    /// Refuses it in a step that drops it.
    fn dropped<V: NotDropped>(self, value: V) -> V {
        value
    }

    /// Refuses it in a step that makes a value of it.
    fn taken_off<V: NotTakenOff>(self, value: V) -> V {
        value
    }

    /// Refuses it in an answer.
    fn silenced<V: NotSilenced>(self, value: V) -> V {
        value
    }
}

impl<T, E> LosesError for Probe<Result<T, E>> {}

/// Any other value, which has no error and is no future.
pub trait LosesNothing: Sized {
    /// Accepts it.
    fn dropped<V>(self, value: V) -> V {
        value
    }

    /// The same.
    fn taken_off<V>(self, value: V) -> V {
        value
    }

    /// The same.
    fn silenced<V>(self, value: V) -> V {
        value
    }

    /// The same.
    fn forgotten<V>(self, value: V) -> V {
        value
    }
}

impl<T> LosesNothing for &Probe<T> {}

/// What is called without arguments for `classify`, where that makes the function which says what an error proves.
pub trait Makes {
    /// What it makes.
    type Made;

    /// Calls it.
    fn __durable_made(self) -> Self::Made;
}

impl<C, F: FnOnce() -> C> Makes for F {
    type Made = C;

    fn __durable_made(self) -> C {
        self()
    }
}

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "`classify` names a function, and this calls it",
    label = "take out the `()`",
    note = "it is called with the error, `fn(&E) -> Failure`, when there is one: write `classify = BankError::classify`"
)]
pub trait Called {}

/// What cannot be called without arguments: it was to be named.
pub trait Named: Sized {
    /// Refuses it.
    fn __durable_made<C>(self) -> C
    where
        Self: Called,
    {
        unreachable!("no type is `Called`")
    }
}

impl<F> Named for &F {}

impl<T> Clone for Probe<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Probe<T> {}

impl<T> Default for Probe<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T> fmt::Debug for Probe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Probe")
    }
}
