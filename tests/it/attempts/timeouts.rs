//! `timeout`: an attempt that takes too long is in doubt, and never failed.

use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;

use super::receiver::{Answer, Receiver, Refusal, open};

#[durable_workflow(goal = "pay", timeout = "1s")]
async fn pay(session: &Session, #[resource] receiver: &Receiver) -> Result<u32, Refusal> {
    #[side_effect(key = "pay", verify = receiver.find(), timeout = "10s", retry(attempts = 2))]
    let paid = receiver.ask().await?;
    Ok(paid)
}

/// G41: what is abandoned may still run, so it is verified before anything is done again.
#[tokio::test(start_paused = true)]
async fn an_attempt_that_takes_too_long_is_verified_before_the_next() {
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let receiver = Receiver::that([Answer::Hangs]);
    assert_eq!(pay(&open(&store, &clock).await, &receiver).await.unwrap(), 1);
    assert_eq!((receiver.asked(), receiver.done()), (2, 1));
}

/// The late effect of the abandoned attempt is found, and not done again.
#[tokio::test(start_paused = true)]
async fn a_late_effect_of_an_abandoned_attempt_is_found() {
    #[durable_workflow(goal = "pay")]
    async fn late(session: &Session, #[resource] receiver: &Receiver) -> Result<u32, Refusal> {
        #[side_effect(key = "pay", verify = receiver.find(), timeout = "50ms", retry(attempts = 3))]
        let paid = async {
            receiver.ask().await?;
            std::future::pending::<Result<u32, Refusal>>().await
        }
        .await?;
        Ok(paid)
    }
    let receiver = Receiver::default();
    assert_eq!(late(&open(&MemoryStore::new(), &ManualClock::default()).await, &receiver).await.unwrap(), 1);
    assert_eq!((receiver.asked(), receiver.done()), (1, 1));
}

/// G42: the step's own limit counts before the workflow's, and the error says whose it was.
#[tokio::test(start_paused = true)]
async fn the_most_specific_limit_counts_and_is_named() {
    let never = Receiver::that((0..4).map(|_| Answer::Hangs));
    let began = tokio::time::Instant::now();
    let error = pay(&open(&MemoryStore::new(), &ManualClock::default()).await, &never).await.unwrap_err().to_string();
    assert!(error.contains("no answer within the step's `timeout` of 10s"), "{error}");
    assert_eq!(began.elapsed().as_secs(), 20, "two attempts");

    #[durable_workflow(goal = "pay", timeout = "1s")]
    async fn usual(session: &Session, #[resource] receiver: &Receiver) -> Result<u32, Refusal> {
        #[read(key = "look")]
        let paid = receiver.ask().await?;
        Ok(paid)
    }
    let error = usual(&open(&MemoryStore::new(), &ManualClock::default()).await, &never).await.unwrap_err().to_string();
    assert!(error.contains("`usual//look`") && error.contains("the workflow's `timeout` of 1s"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_value_that_comes_too_late_is_none() {
    #[durable_workflow(goal = "wait")]
    async fn wait(session: &Session, #[resource] length: Duration) -> Result<u32, Refusal> {
        #[read(key = "wait", timeout = "1s")]
        let value = {
            let _over = tokio::time::timeout(length, std::future::pending::<()>()).await;
            7
        };
        Ok(value)
    }
    let session = open(&MemoryStore::new(), &ManualClock::default()).await;
    assert_eq!(wait(&session, Duration::from_millis(999)).await.unwrap(), 7);
    let session = open(&MemoryStore::new(), &ManualClock::default()).await;
    let error = wait(&session, Duration::from_millis(1001)).await.unwrap_err().to_string();
    assert!(error.contains("no answer within the step's `timeout` of 1s"), "{error}");
}
