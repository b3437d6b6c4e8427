//! The run whose body this thread polls right now. What a workflow calls belongs to its run, wherever the callee takes
//! its session from.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;

use super::Session;

thread_local! {
    /// The bodies that this thread polls, outermost first. Never held across a poll: between two polls of one body the
    /// thread may poll any other, and the body may move to another thread.
    static POLLED: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
}

/// Polls `body`, the body of the run that `session` belongs to. A task that the body spawns is polled by itself, and
/// has no surroundings.
pub(super) async fn within<F: Future>(session: &Session, body: F) -> F::Output {
    let mut body = pin!(body);
    poll_fn(|context| {
        let _inside = Inside::of(session);
        body.as_mut().poll(context)
    })
    .await
}

impl Session {
    /// The handle that a call has which is given this one: a handle outside any workflow is taken for that of the
    /// innermost run of the session whose body calls.
    pub(crate) fn surrounded(&self) -> Self {
        let of_the_same = |session: &&Self| Arc::ptr_eq(&session.shared, &self.shared);
        let find = |polled: &RefCell<Vec<Self>>| polled.borrow().iter().rfind(of_the_same).cloned();
        let around = || POLLED.try_with(find).ok().flatten();
        if self.scope.is_empty() { around().unwrap_or_else(|| self.clone()) } else { self.clone() }
    }
}

/// One poll. Its end takes the body off again, by a panic too.
struct Inside;

impl Inside {
    fn of(session: &Session) -> Option<Self> {
        POLLED.try_with(|polled| polled.borrow_mut().push(session.clone())).ok().map(|()| Self)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        // What is taken off is dropped outside the borrow: the last handle gives the session up.
        let taken = POLLED.try_with(|polled| polled.borrow_mut().pop());
        drop(taken);
    }
}
