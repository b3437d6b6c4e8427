//! A wait without a key, where it is awaited: the compiler says what is missing, and not that it should not be awaited.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{DecideNeedsKey, SleepNeedsKey};
use crate::error::Error;

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "a sleep needs a key, by which the next process knows how long it has slept",
    label = "this has none, and cannot be awaited yet",
    note = "give it one, `session.sleep(day).key(\"cool-down\").await?`; in a workflow its attribute does, `#[sleep(key = \"cool-down\")] session.sleep(day).await?;`"
)]
pub trait SleepHasKey {}

/// Never implemented: its absence is the message.
#[diagnostic::on_unimplemented(
    message = "a decision needs a key, by which it is asked and answered",
    label = "this has none, and cannot be awaited yet",
    note = "give it one, `session.decide::<Approval>().key(\"send\").ask(\"finance\").await?`; in a workflow its attribute does, `#[decision(key = \"send\", ask = \"finance\")] let send: Approval = session.decide().await?;`"
)]
pub trait DecisionHasKey {}

// A bound that can never hold is refused where it stands, but not one of any lifetime. That of the innermost trait is what
// the compiler tells, and it looks no further where only one impl can be meant: so it is `Future`, for which there is no
// other, and not `IntoFuture`.
#[doc(hidden)]
impl Future for SleepNeedsKey<'_>
where
    for<'any> SleepNeedsKey<'any>: SleepHasKey,
{
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Self::Output> {
        unreachable!("no type is `SleepHasKey`")
    }
}

#[doc(hidden)]
impl<T> Future for DecideNeedsKey<'_, T>
where
    for<'any> DecideNeedsKey<'any, T>: DecisionHasKey,
{
    type Output = Result<T, Error>;

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Self::Output> {
        unreachable!("no type is `DecisionHasKey`")
    }
}
