//! Finds out whether the value of a step is a `Result`: method lookup tries the impl for `&Probe<Result<..>>` before the
//! one for `Probe<T>`, and only the former asks for what no type has.

use std::fmt;
use std::marker::PhantomData;

/// The type of a value.
pub struct Probe<T>(PhantomData<fn() -> T>);

/// Looks at the value of a step without `?`.
pub fn probe<T>(_value: &T) -> Probe<T> {
    Probe(PhantomData)
}

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "this step's value is a `Result`, whose error would be recorded as a success",
    label = "a step without `?` gives a value that cannot fail",
    note = "write `?` behind the step: then an error stops the run, and the step is verified or tried again",
    note = "or write `errors = \"recorded\"` in its attribute: then an error is a value, once it is proven that nothing happened"
)]
pub trait NotAResult {}

/// A `Result`.
pub trait IsResult {
    /// Refuses it. What comes of it can be anything, so that a `Result` is not refused a second time as what cannot be
    /// recorded.
    fn pass<V>(&self, _value: V) -> !
    where
        Self: NotAResult,
    {
        unreachable!("no type is `NotAResult`")
    }
}

impl<T, E> IsResult for &Probe<Result<T, E>> {}

/// Any other value.
pub trait PlainValue {
    /// Accepts it.
    fn pass<V>(&self, value: V) -> V {
        value
    }
}

impl<T> PlainValue for Probe<T> {}

impl<T> fmt::Debug for Probe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Probe")
    }
}
