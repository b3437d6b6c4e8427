//! Refuses futures that nobody awaits: method lookup tries what is here before what [`LosesNothing`] says of any value.
//!
//! [`LosesNothing`]: super::probe::LosesNothing

use tokio::sync::oneshot::Receiver;
use tokio::task::JoinHandle;

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

/// Nothing happens in it.
#[diagnostic::do_not_recommend]
impl<T> NotForgotten for Receiver<T> {}

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
impl<T> NoneForgotten for Option<JoinHandle<T>> {}

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
