//! A future that is made when it is first polled, so that until then a wait can be told more of itself.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What is asked for, and then the future that it became.
pub(super) enum Lazy<A, T> {
    Asked(A),
    Runs(Pin<Box<dyn Future<Output = T> + Send>>),
    /// While the one becomes the other.
    Between,
}

impl<A, T> Lazy<A, T> {
    /// What is asked for, as long as it can be changed.
    pub(super) fn asked(&mut self) -> Option<&mut A> {
        match self {
            Self::Asked(asked) => Some(asked),
            Self::Runs(_) | Self::Between => None,
        }
    }

    pub(super) fn poll<F>(&mut self, context: &mut Context<'_>, begin: impl FnOnce(A) -> F) -> Poll<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        *self = match mem::replace(self, Self::Between) {
            Self::Asked(asked) => Self::Runs(Box::pin(begin(asked))),
            other => other,
        };
        match self {
            Self::Runs(future) => future.as_mut().poll(context),
            Self::Asked(_) | Self::Between => Poll::Pending,
        }
    }
}

impl<A: fmt::Debug, T> fmt::Debug for Lazy<A, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked(asked) => asked.fmt(out),
            Self::Runs(_) | Self::Between => out.write_str("begun"),
        }
    }
}
