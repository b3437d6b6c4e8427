//! Several things at once, none of which is dropped in the middle: a reserved effect that is dropped stops its run.

use std::any::Any;
use std::fmt::Display;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread;

use crate::error::STOPPED;
use crate::session::told;

/// Does `work` for each of `items`, at most `at_once` at the same time, and gives the results in the order of the items.
///
/// On the first error nothing new is begun; what is running ends, and is recorded. Where the items stand in a
/// `HashMap`, whose order is another each time, the results do too; the steps do not mind, since they are known by
/// their keys.
///
/// # Panics
///
/// With the first panic of `work`, once all that is running has ended.
///
/// # Errors
///
/// Gives the first error, in time, that is not merely the refusal of a step because another one has stopped the run.
///
/// # Cancel safety
///
/// None: what is running is dropped with it, and is in doubt.
///
/// # Examples
///
/// ```
/// use durable_runtime::prelude::*;
/// use durable_runtime::{Error, each};
/// # async fn send(_: impl ToString, _: &str) -> Result<u32, Error> { Ok(1) }
///
/// #[durable_workflow(goal = "write to {names.len()} people")]
/// async fn write(session: &Session, names: &[String]) -> Result<u32, Error> {
///     let sent = each(names, 32, async |name| {
///         #[side_effect(key = "mail/{name}" as mail, idempotent)]
///         let sent = send(mail.token(), name).await?;
///         Ok::<_, Error>(sent)
///     });
///     Ok(sent.await?.iter().sum())
/// }
/// ```
pub async fn each<I, T, E, F>(items: I, at_once: usize, mut work: impl FnMut(I::Item) -> F) -> Result<Vec<T>, E>
where
    I: IntoIterator,
    F: Future<Output = Result<T, E>>,
    E: Display,
{
    let mut items = items.into_iter();
    let (first, mut running, mut results) = (FirstError::new(), Vec::new(), Vec::new());
    loop {
        while running.len() < at_once.max(1) && !first.is_there() {
            let Some(begun) = first.caught(caught(|| items.next().map(&mut work))).flatten() else { break };
            running.push((results.len(), Box::pin(begun)));
            results.push(None);
        }
        if running.is_empty() {
            return first.or(results.into_iter().collect());
        }
        let (place, result) = poll_fn(|context| next_of(&mut running, context)).await;
        results[place] = first.keep(result);
    }
}

/// The next of these that ends, taken out.
fn next_of<F: Future>(
    running: &mut Vec<(usize, Pin<Box<F>>)>,
    context: &mut Context<'_>,
) -> Poll<(usize, thread::Result<F::Output>)> {
    for at in 0..running.len() {
        let (place, future) = &mut running[at];
        if let Poll::Ready(result) = poll_caught(future.as_mut(), context) {
            let place = *place;
            drop(running.remove(at));
            return Poll::Ready((place, result));
        }
    }
    Poll::Pending
}

/// What this gives, or its panic, which must not take along what runs beside it. Nothing of it is looked at afterwards.
fn caught<T>(work: impl FnOnce() -> T) -> thread::Result<T> {
    catch_unwind(AssertUnwindSafe(work))
}

/// The same of a future. One that has panicked has ended.
fn poll_caught<F: Future>(future: Pin<&mut F>, context: &mut Context<'_>) -> Poll<thread::Result<F::Output>> {
    match caught(|| future.poll(context)) {
        Ok(polled) => polled.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    }
}

/// Awaits several futures at the same time, lets all of them end, and gives their values as a tuple, or an error.
///
/// `tokio::try_join!` drops the others when one fails, and an effect that is dropped is in doubt. This one does not, nor when one
/// panics: it goes on with that panic once all have ended. The error is the first, in time, that is not merely the refusal of a
/// step because another one has stopped the run.
///
/// ```
/// use durable_runtime::prelude::*;
/// use durable_runtime::{Error, try_join};
/// # async fn book(_: impl ToString) -> Result<u32, Error> { Ok(1) }
///
/// #[durable_workflow(goal = "book a trip")]
/// async fn trip(session: &Session) -> Result<u32, Error> {
///     let (flight, hotel) = try_join!(
///         async {
///             #[side_effect(key = "flight" as flight, idempotent)]
///             let flight = book(flight.token()).await?;
///             Ok::<_, Error>(flight)
///         },
///         async {
///             #[side_effect(key = "hotel" as hotel, idempotent)]
///             let hotel = book(hotel.token()).await?;
///             Ok::<_, Error>(hotel)
///         },
///     )?;
///     Ok(flight + hotel)
/// }
/// ```
#[macro_export]
macro_rules! try_join {
    ($($future:expr),+ $(,)?) => {{
        let first = $crate::__private::FirstError::new();
        let joined = $crate::__private::tokio::join!($(first.of($future)),+);
        first.or($crate::__private::AllOf::all(joined))
    }};
}

/// The error that counts of several, or the panic.
#[derive(Debug)]
pub struct FirstError<E>(Mutex<First<E>>);

#[derive(Debug)]
enum First<E> {
    None,
    Error(E),
    Panic(Panic),
}

type Panic = Box<dyn Any + Send>;

impl<E: Display> FirstError<E> {
    /// None yet.
    #[expect(clippy::new_without_default, reason = "only our macro makes one")]
    pub fn new() -> Self {
        Self(Mutex::new(First::None))
    }

    /// Awaits one of them; its error is kept, or its panic.
    pub async fn of<T>(&self, future: impl Future<Output = Result<T, E>>) -> Option<T> {
        let mut future = pin!(future);
        self.keep(poll_fn(|context| poll_caught(future.as_mut(), context)).await)
    }

    /// The value, or the error that counts. Goes on with a panic.
    ///
    /// # Errors
    ///
    /// Gives that error.
    pub fn or<T>(self, value: Option<T>) -> Result<T, E> {
        match (self.0.into_inner().unwrap_or_else(PoisonError::into_inner), value) {
            (First::Panic(panic), _) => resume_unwind(panic),
            (First::Error(error), _) => Err(error),
            (First::None, Some(value)) => Ok(value),
            (First::None, None) => unreachable!("without a value there is an error"),
        }
    }

    fn keep<T>(&self, result: thread::Result<Result<T, E>>) -> Option<T> {
        let error = match self.caught(result)? {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let is_refusal = |error: &E| told(error).contains(STOPPED);
        let mut first = self.first();
        let counts = match &*first {
            First::None => true,
            First::Error(kept) => is_refusal(kept) && !is_refusal(&error),
            First::Panic(_) => false,
        };
        if counts {
            *first = First::Error(error);
        }
        None
    }

    /// What was given; the first panic is kept.
    fn caught<T>(&self, result: thread::Result<T>) -> Option<T> {
        result.map_err(|panic| self.first().panicked(panic)).ok()
    }

    fn is_there(&self) -> bool {
        !matches!(&*self.first(), First::None)
    }

    fn first(&self) -> MutexGuard<'_, First<E>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E> First<E> {
    fn panicked(&mut self, panic: Panic) {
        if !matches!(self, Self::Panic(_)) {
            *self = Self::Panic(panic);
        }
    }
}

/// A tuple of values each of which may be missing.
pub trait AllOf {
    /// The values.
    type Values;

    /// All of them, if none is missing.
    fn all(self) -> Option<Self::Values>;
}

macro_rules! all_of {
    ($($name:ident)+) => {
        impl<$($name),+> AllOf for ($(Option<$name>,)+) {
            type Values = ($($name,)+);

            #[expect(non_snake_case, reason = "each value is named as its type")]
            fn all(self) -> Option<Self::Values> {
                let ($($name,)+) = self;
                Some(($($name?,)+))
            }
        }
    };
}

all_of! { A }
all_of! { A B }
all_of! { A B C }
all_of! { A B C D }
all_of! { A B C D F }
all_of! { A B C D F G }
all_of! { A B C D F G H }
all_of! { A B C D F G H I }
