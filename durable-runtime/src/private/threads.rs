//! What may move between threads: the values of the steps, and the workflow. Where it is not known what a type is, because
//! it may be a parameter of the `impl` block around a workflow, nothing is asked.

use std::marker::PhantomData;
use std::ops::Deref;

use super::bounds::{Met, Recordable, Unmet};
use crate::core::text::Text;
use crate::session::{Codec, Reached, Run, Slot};

/// A workflow that may stay on one thread.
#[derive(Clone, Copy, Debug)]
pub struct OneThread;

/// A workflow that may move from one to another.
#[derive(Clone, Copy, Debug)]
pub struct AnyThread;

/// How the value of a step is recorded: the bounds on it, and on its error.
pub fn codec<T: Recordable<X> + Moves<M, X>, X, E: ErrorMoves<M>, M>(_on: M, _error: PhantomData<E>) -> Codec<T> {
    Codec::new()
}

/// A value that goes where its workflow goes. Of one that cannot be recorded nothing is asked beside that.
#[diagnostic::on_unimplemented(
    message = "the result of a durable step must be `Send`, but `{Self}` is not",
    label = "this step's result cannot move to another thread, and so its workflow could not",
    note = "let the step give what can: an `Arc` instead of an `Rc`, and no guard, raw pointer or handle of one thread",
    note = "or write `#[durable_workflow(local)]`, and the workflow stays on one thread"
)]
pub trait Moves<M, X> {}

impl<T, X> Moves<OneThread, X> for T {}

#[diagnostic::do_not_recommend]
impl<T: Send> Moves<AnyThread, Met> for T {}

#[diagnostic::do_not_recommend]
impl<T> Moves<AnyThread, Unmet> for T {}

// Of two ways the compiler takes neither, and leaves open how the value is recorded.
#[diagnostic::do_not_recommend]
impl<T> Moves<AnyThread, OneThread> for T {}

/// The same of an error.
#[diagnostic::on_unimplemented(
    message = "the error of a durable step must be `Send`, but `{Self}` is not",
    label = "this step's error cannot move to another thread, and so its workflow could not",
    note = "let it be one that can: `Box<dyn std::error::Error + Send + Sync>` instead of `Box<dyn std::error::Error>`",
    note = "or write `#[durable_workflow(local)]`, and the workflow stays on one thread"
)]
pub trait ErrorMoves<M> {}

impl<E> ErrorMoves<OneThread> for E {}

#[diagnostic::do_not_recommend]
impl<E: Send> ErrorMoves<AnyThread> for E {}

/// A run whose workflow may move between threads.
#[derive(Debug)]
pub struct Moving<'r>(pub &'r Run);

impl Moving<'_> {
    /// Begins a step whose value goes where the workflow goes: see [`Run::begin`].
    pub async fn begin<T, E>(
        &self,
        key: &Reached,
        title: Option<Text>,
        codec: fn(AnyThread, PhantomData<E>) -> Codec<T>,
        show: fn(&E) -> String,
    ) -> Slot<T, E> {
        Slot::begin(self.session(), key, title, codec(AnyThread, PhantomData), show).await
    }
}

impl Deref for Moving<'_> {
    type Target = Run;

    fn deref(&self) -> &Run {
        self.0
    }
}

/// Wants a workflow that can move between threads. Where one cannot, the compiler says what it holds, and shows the line of
/// the bound, which says what to write.
pub fn send_unless_local<
    F: Send, // hold an `Arc` and no `Rc`; end a guard before the step, `drop(guard)`; or write `#[durable_workflow(local)]`
>(
    _body: &F,
) {
}

/// The types that a signature names, one after the other: `fn(A) -> fn(B)`.
pub trait Known {}

impl Known for () {}

// Nearly each type is `Unpin`, and a type parameter of which nothing is said is not.
impl<A: Unpin + ?Sized, B: Known> Known for fn(A) -> B {}

/// These types, whether they are known or not: method lookup takes what is the type's own only if they are.
#[derive(Debug)]
pub struct Types<T>(PhantomData<fn() -> T>);

/// Asks whether the types are known that a signature names.
pub fn named<T>(_types: [T; 0]) -> Types<T> {
    Types(PhantomData)
}

impl<T: Known> Types<T> {
    /// The run, in which the values of the steps are asked whether they can move.
    pub fn steps_of(self, run: &Run) -> Moving<'_> {
        Moving(run)
    }

    /// See the function of this name.
    pub fn send_unless_local<
        F: Send, // hold an `Arc` and no `Rc`; end a guard before the step, `drop(guard)`; or write `#[durable_workflow(local)]`
    >(
        self,
        _body: &F,
    ) {
    }
}

impl<T> Deref for Types<T> {
    type Target = Unknown;

    fn deref(&self) -> &Unknown {
        &Unknown
    }
}

/// Types of which one may be anything.
#[derive(Debug)]
pub struct Unknown;

impl Unknown {
    /// The run.
    pub fn steps_of<'r>(&self, run: &'r Run) -> &'r Run {
        run
    }

    /// Asks nothing.
    pub fn send_unless_local<F>(&self, _body: &F) {}
}

impl<T> Clone for Types<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Types<T> {}
