//! A run that a person gives up in the middle, and that cleans up after itself.

use std::time::Duration;

use durable_runtime::prelude::*;

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

/// Gives the trip up once its flight is booked, and again where that was lost. Gives nothing.
#[expect(clippy::disallowed_methods, reason = "the time of the lab, which costs none")]
pub(super) async fn give_up<T>(session: &Session) -> T {
    for _ in 0..100 {
        if session.handoff().to_string().contains(": `trip//flight`, result") {
            session.cancel("trip").by("operator", "the traveller is ill").await.ok();
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    std::future::pending().await
}
