//! A run that a person gives up in the middle, and that cleans up after itself.

use std::time::Duration;

use durable_runtime::Error;
use durable_runtime::prelude::*;
use durable_runtime::testing::NoAnswer;

use super::world::{Bank, Stop};

/// Books a flight and gives it back: by then somebody has given the trip up.
#[durable_workflow(goal = "book a trip that nobody makes")]
pub(super) async fn trip(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[side_effect(key = "flight" as flight, verify = bank.find(flight).await)]
    let flight = bank.pay(flight, 3).await?;
    until_given_up(session).await;
    #[side_effect(key = "refund" as refund, cleanup, verify = bank.find(refund).await)]
    let refund = bank.pay(refund, flight + 1).await?;
    #[side_effect(key = "notice" as notice, cleanup, idempotent)]
    let notice = bank.pay_once(notice, 5).await?;
    Ok(refund + notice)
}

/// Books a journey there and back, which somebody gives up on the way back: the run inside cleans up, and then the one around it.
#[durable_workflow(goal = "book a journey that nobody makes")]
pub(super) async fn journey(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[run(key = "there")]
    let there = leg(session, bank, 3, false).await?;
    #[run(key = "back")]
    let back = leg(session, bank, 5, true).await?;
    #[side_effect(key = "notice" as notice, cleanup, idempotent)]
    let notice = bank.pay_once(notice, there + back).await?;
    Ok(notice)
}

#[durable_workflow]
async fn leg(session: &Session, #[resource] bank: &Bank, price: u64, is_last: bool) -> Result<u64, Stop> {
    #[side_effect(key = "seat" as seat, verify = bank.find(seat).await)]
    let seat = bank.pay(seat, price).await?;
    if is_last {
        until_given_up(session).await;
        #[side_effect(key = "refund" as refund, cleanup, verify = bank.find(refund).await, settle = "1s")]
        bank.pay(refund, seat + 1).await?;
    }
    Ok(seat)
}

/// Books a room and a guide, and gives the room back; by then somebody has given the tour up, and there is no guide.
#[durable_workflow(goal = "book a tour that nobody makes")]
async fn tour(session: &Session, #[resource] bank: &Bank) -> Result<u64, Toured> {
    #[side_effect(key = "room" as room, verify = bank.find(room).await)]
    let room = bank.pay(room, 3).await?;
    until_given_up(session).await;
    #[run(key = "guide", errors = "later")]
    let guide = guide(session, bank).await;
    #[side_effect(key = "refund" as refund, cleanup, verify = bank.find(refund).await)]
    let refund = bank.pay(refund, room + 1).await?;
    Ok(refund + guide.unwrap_or_default())
}

#[durable_workflow]
async fn guide(session: &Session, #[resource] bank: &Bank) -> Result<u64, Toured> {
    #[side_effect(key = "book" as book, idempotent)]
    let book = bank.pay_once(book, 7).await?;
    Ok(book)
}

/// Why a tour is none.
#[derive(Debug)]
enum Toured {
    Durable(Error),
    NoAnswer(NoAnswer),
}

impl From<Error> for Toured {
    fn from(error: Error) -> Self {
        Self::Durable(error)
    }
}

impl From<NoAnswer> for Toured {
    fn from(error: NoAnswer) -> Self {
        Self::NoAnswer(error)
    }
}

impl std::fmt::Display for Toured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Durable(error) => error.fmt(f),
            Self::NoAnswer(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Toured {}

/// What the tour comes to: it is cancelled, and nothing else.
pub(super) async fn abandoned(session: &Session, bank: &Bank) -> Result<u64, Stop> {
    match tour(session, bank).await {
        Err(Toured::Durable(error)) if error.is_cancelled() => Ok(80),
        toured => Ok(toured?),
    }
}

/// Waits until the run is given up. It looks no more when nothing can come: what hangs is to be seen to hang.
#[expect(clippy::disallowed_methods, reason = "the time of the lab, which costs none")]
async fn until_given_up(session: &Session) {
    for _ in 0..100 {
        if session.is_cancelled() {
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    std::future::pending().await
}

/// Gives a run up once its first step is done, and again where that was lost. Gives nothing.
#[expect(clippy::disallowed_methods, reason = "the time of the lab, which costs none")]
pub(super) async fn give_up<T>(session: &Session, run: &str, first: &str) -> T {
    for _ in 0..100 {
        if session.handoff().to_string().contains(&format!(": `{run}//{first}`, result")) {
            session.cancel(run).by("operator", "the traveller is ill").await.ok();
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    std::future::pending().await
}
