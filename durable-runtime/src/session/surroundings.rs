//! The run whose body this thread polls right now. What a workflow calls belongs to its run, wherever the callee takes
//! its session from.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;

use super::Session;
use super::call::Name;
use crate::core::start::{Effect, Start};

thread_local! {
    /// What this thread polls, outermost first. Never held across a poll: between two polls of one body the thread may
    /// poll any other, and the body may move to another thread.
    static POLLED: RefCell<Vec<Around>> = const { RefCell::new(Vec::new()) };
}

/// What surrounds a call.
#[derive(Clone)]
pub(super) struct Around {
    /// The session, as the calling run sees it.
    pub(super) session: Session,
    /// The name that the call gives to the run it enters.
    pub(super) name: Option<Arc<Name>>,
    /// The step whose expression calls, where others of its run may run beside it.
    effect: Option<Arc<Effect>>,
}

/// Polls `body` with these surroundings. A task that it spawns is polled by itself, and has none.
///
/// It is pinned by the caller: each function that a future is moved through makes the future around it twice as big.
pub(super) async fn within<F: Future>(around: &Around, mut body: Pin<&mut F>) -> F::Output {
    poll_fn(|context| {
        let _inside = Inside::of(around);
        body.as_mut().poll(context)
    })
    .await
}

impl Around {
    /// The body of the run that `session` belongs to.
    pub(super) fn body(session: &Session) -> Self {
        Self { session: session.clone(), name: None, effect: None }
    }

    /// A call that gives its run a name.
    pub(super) fn call(session: &Session, name: Arc<Name>) -> Self {
        Self { session: session.clone(), name: Some(name), effect: None }
    }

    /// The expression of a step.
    pub(super) fn effect(session: &Session, effect: Effect) -> Self {
        Self { session: session.clone(), name: None, effect: Some(Arc::new(effect)) }
    }

    /// What surrounds a call that is given this handle: one that belongs to no run is taken for that of the innermost
    /// run of the session whose body calls. A name counts for any handle, for it is that run's own.
    pub(super) fn of(session: &Session) -> Self {
        let of_the_same = |around: &&Self| Arc::ptr_eq(&around.session.shared, &session.shared);
        let find = |polled: &RefCell<Vec<Self>>| polled.borrow().iter().rfind(of_the_same).cloned();
        let counts = |around: &Self| session.scope.is_empty() || around.name.is_some();
        POLLED.try_with(find).ok().flatten().filter(counts).unwrap_or_else(|| Self::body(session))
    }
}

/// The step of this session inside whose expression this thread polls.
pub(super) fn effect_around(session: &Session, start: &Start) -> Option<Effect> {
    let of_around = |around: &Around| match &around.effect {
        Some(effect) => Some((**effect).clone()),
        None => start.alone(&around.session.scope).cloned(),
    };
    let find = |polled: &RefCell<Vec<Around>>| {
        let polled = polled.borrow();
        let mut same = polled.iter().rev().filter(|around| Arc::ptr_eq(&around.session.shared, &session.shared));
        same.find_map(of_around)
    };
    POLLED.try_with(find).ok().flatten()
}

/// One poll. Its end takes the surroundings off again, by a panic too.
struct Inside;

impl Inside {
    fn of(around: &Around) -> Option<Self> {
        POLLED.try_with(|polled| polled.borrow_mut().push(around.clone())).ok().map(|()| Self)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        // What is taken off is dropped outside the borrow: the last handle gives the session up.
        let taken = POLLED.try_with(|polled| polled.borrow_mut().pop());
        drop(taken);
    }
}
