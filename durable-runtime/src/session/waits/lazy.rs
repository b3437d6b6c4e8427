//! A future that is made when it is first polled, so that until then a wait can be told more of itself.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A future of its own, wherever it is awaited.
pub(super) type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// What is asked for and how it begins, and then the future that it became.
///
/// How it begins is known where it is made, and so is what that needs of its types: where it is awaited no mistake is told again.
pub(super) enum Lazy<A, T> {
    Asked(A, fn(A) -> Boxed<T>),
    Runs(Boxed<T>),
    /// While the one becomes the other.
    Between,
}

impl<A, T> Lazy<A, T> {
    /// What is asked for, as long as it can be changed.
    pub(super) fn asked(&mut self) -> Option<&mut A> {
        match self {
            Self::Asked(asked, _) => Some(asked),
            Self::Runs(_) | Self::Between => None,
        }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<T> {
        *self = match mem::replace(self, Self::Between) {
            Self::Asked(asked, begin) => Self::Runs(begin(asked)),
            other => other,
        };
        match self {
            Self::Runs(future) => future.as_mut().poll(context),
            Self::Asked(..) | Self::Between => Poll::Pending,
        }
    }
}

impl<A: fmt::Debug, T> fmt::Debug for Lazy<A, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked(asked, _) => asked.fmt(out),
            Self::Runs(_) | Self::Between => out.write_str("begun"),
        }
    }
}
