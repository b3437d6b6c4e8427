//! Commits that are under way.

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::runtime::Handle;

use super::{Commit, Shared};
use crate::session::Session;
use crate::store::StoreError;

/// A commit that was asked for. It is made also if whoever asked is dropped before it has begun.
pub(super) struct Owed {
    flush: Flush,
    /// Whether it is made, or somebody else's to make.
    is_paid: bool,
}

type Flush = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

impl Owed {
    pub(super) fn of(handle: Session, promise: Commit) -> Self {
        // What others record while they are let in first needs no sync of this one.
        let (writing, wanted) = (Writing::of(&handle.shared), handle.shared.live().state.seq);
        let flush = async move {
            let _writing = writing;
            handle.shared.flush(wanted, promise).await
        };
        Self { flush: Box::pin(flush), is_paid: false }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), StoreError>> {
        // One that panics is not to be polled again.
        self.is_paid = true;
        let polled = self.flush.as_mut().poll(context);
        self.is_paid = polled.is_ready();
        polled
    }

    pub(super) fn take(&mut self) -> Flush {
        self.is_paid = true;
        std::mem::replace(&mut self.flush, Box::pin(ready(Ok(()))))
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        if let (false, Ok(runtime)) = (self.is_paid, Handle::try_current()) {
            runtime.spawn(self.take());
        }
    }
}

/// A commit that is under way.
struct Writing(Arc<Shared>);

static WRITING: AtomicUsize = AtomicUsize::new(0);

/// How many commits are under way in this process.
pub(super) fn writing() -> usize {
    WRITING.load(Ordering::Acquire)
}

impl Writing {
    fn of(shared: &Arc<Shared>) -> Self {
        shared.writing.fetch_add(1, Ordering::AcqRel);
        WRITING.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(shared))
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.writing.fetch_sub(1, Ordering::AcqRel);
        WRITING.fetch_sub(1, Ordering::AcqRel);
    }
}
