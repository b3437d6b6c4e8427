//! Refuses futures that nobody awaits: method lookup tries what is here before what [`LosesNothing`] says of any value.
//!
//! [`LosesNothing`]: super::probe::LosesNothing

use std::collections::VecDeque;

use tokio::sync::oneshot::Receiver;
use tokio::task::JoinHandle;
use tokio::time::Sleep;

use super::probe::Probe;

/// Never implemented for what has steps: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "nobody awaits this future, so nothing in it ever happens",
    label = "it runs only where it is awaited",
    note = "write `.await` behind it, or `.await?` where it can fail, or take it out"
)]
pub trait NotForgotten {}

/// A task runs by itself.
#[diagnostic::do_not_recommend]
impl<T> NotForgotten for JoinHandle<T> {}

/// The same where something holds it.
#[diagnostic::do_not_recommend]
impl<T> NotForgotten for Box<JoinHandle<T>> {}

/// Nothing happens in it.
#[diagnostic::do_not_recommend]
impl<T> NotForgotten for Receiver<T> {}

/// Nothing happens in it but that time passes.
#[diagnostic::do_not_recommend]
impl NotForgotten for Sleep {}

/// It stands where somebody may find it.
#[diagnostic::do_not_recommend]
impl<T: ?Sized> NotForgotten for &mut T {}

/// The same of what holds several.
#[diagnostic::on_unimplemented(
    message = "nobody awaits the future that is in here, so nothing in it ever happens",
    label = "a future runs only where it is awaited",
    note = "await it: `if let Some(id) = id {{ .. }}` instead of `id.map(async |id| ..)`, a `for` loop or `each(..).await?` instead of an iterator"
)]
pub trait NoneForgotten {}

#[diagnostic::do_not_recommend]
impl<T> NoneForgotten for Vec<JoinHandle<T>> {}

#[diagnostic::do_not_recommend]
impl<T> NoneForgotten for VecDeque<JoinHandle<T>> {}

#[diagnostic::do_not_recommend]
impl<T, const N: usize> NoneForgotten for [JoinHandle<T>; N] {}

#[diagnostic::do_not_recommend]
impl<T> NoneForgotten for Option<JoinHandle<T>> {}

/// A task that may not have been started.
#[diagnostic::do_not_recommend]
impl<T, E> NoneForgotten for Result<JoinHandle<T>, E> {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> NoneForgotten for Option<&mut T> {}

/// A future that is dropped.
pub trait LosesFuture: Sized {
    /// Refuses it.
    fn forgotten<V: NotForgotten>(self, value: V) -> V {
        value
    }
}

impl<F: Future> LosesFuture for Probe<F> {}

/// A value that holds futures, and is dropped.
pub trait LosesFutures: Sized {
    /// Refuses it.
    fn forgotten<V: NoneForgotten>(self, value: V) -> V {
        value
    }
}

impl<I: IntoIterator<Item: Future>> LosesFutures for Probe<I> {}
