//! `idempotent` with `retry` and `within`.

use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;

use super::receiver::{Answer, Receiver, Refusal, killed, open};

#[durable_workflow(goal = "pay")]
async fn pay(session: &Session, #[resource] receiver: &Receiver) -> Result<u32, Refusal> {
    #[side_effect(key = "pay", idempotent = "the receiver drops repeats", within = "24h", retry(attempts = 3))]
    let paid = receiver.ask().await?;
    Ok(paid)
}

#[tokio::test]
async fn a_step_whose_repeats_are_dropped_is_tried_again_without_a_proof() {
    let receiver = Receiver::refusing(|| Refusal::Reset, 2);
    assert_eq!(pay(&open(&MemoryStore::new(), &ManualClock::default()).await, &receiver).await.unwrap(), 1);
    assert_eq!(receiver.asked(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_token_that_its_receiver_has_forgotten_is_not_sent_again() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::that([Answer::Hangs, Answer::Hangs]);
    for hours in [23, 2] {
        let session = open(&store, &clock).await;
        killed(pay(&session, &receiver)).await;
        clock.advance(Duration::from_secs(3600 * hours));
    }
    let session = open(&store, &clock).await;
    let error = pay(&session, &receiver).await.unwrap_err().to_string();
    assert!(error.contains("remembers a token for 1day"), "{error}");
    assert_eq!(receiver.asked(), 2, "25 hours after the first attempt no third one is made");
    session.resolve("pay//pay").happened(&5_u32).by("ada", "it is in the receiver's list").await.unwrap();
    session.close().await.unwrap();
    assert_eq!(pay(&open(&store, &clock).await, &receiver).await.unwrap(), 5);
}

/// An attempt that was refused proves nothing about the one before it, which nobody has heard of.
#[tokio::test(start_paused = true)]
async fn a_refused_repeat_does_not_make_an_error_of_an_effect_that_may_have_happened() {
    #[durable_workflow(goal = "pay")]
    async fn report(session: &Session, #[resource] receiver: &Receiver) -> Result<bool, Refusal> {
        #[side_effect(
            key = "pay",
            idempotent = "the receiver drops repeats",
            classify = Refusal::classify,
            errors = "recorded",
        )]
        let paid = receiver.ask().await;
        Ok(paid.is_ok())
    }
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::that([Answer::Hangs, Answer::Refuses(Refusal::NoSuchAccount)]);
    {
        let session = open(&store, &clock).await;
        killed(report(&session, &receiver)).await;
    }
    let error = report(&open(&store, &clock).await, &receiver).await.unwrap_err().to_string();
    assert!(error.contains("ask operator whether it happened"), "{error}");
    let session = open(&store, &clock).await;
    session.resolve("report//pay").happened(&5).by("ada", "it is in the books").await.unwrap();
    assert!(report(&session, &receiver).await.unwrap());
    assert_eq!(receiver.asked(), 2);
}
