//! A panic is an error of its run, and a doubt about its step.

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;

use super::receiver::{Answer, Receiver, Refusal, open};

#[durable_workflow(goal = "pay")]
async fn pay(session: &Session, #[resource] receiver: &Receiver) -> Result<u32, Refusal> {
    #[side_effect(key = "pay", verify = receiver.find(), settle = "0s")]
    let paid = receiver.ask().await?;
    Ok(paid)
}

/// G40: its text and place are recorded, the step is in doubt, and the other runs of the process go on.
#[tokio::test]
async fn a_panic_in_a_step_is_recorded_and_the_process_goes_on() {
    let clock = ManualClock::default();
    let (store, other) = (MemoryStore::new(), MemoryStore::new());
    let (broken, whole) = (Receiver::that([Answer::Panics]), Receiver::default());
    let (first, second) = (open(&store, &clock).await, open(&other, &clock).await);
    let (panicked, paid) = tokio::join!(pay(&first, &broken), pay(&second, &whole));
    let error = panicked.unwrap_err().to_string();
    assert!(error.contains("the receiver's library is broken"), "{error}");
    assert!(error.contains("tests/it/attempts/receiver.rs:"), "{error}");
    assert_eq!(paid.unwrap(), 1);
    let handoff = first.handoff().to_string();
    assert!(handoff.contains("VERIFY `pay//pay`") && handoff.contains("library is broken"), "{handoff}");
    drop(first);
    assert_eq!(pay(&open(&store, &clock).await, &broken).await.unwrap(), 1);
    assert_eq!((broken.asked(), broken.done()), (2, 1));
}

#[tokio::test]
async fn a_panic_between_two_steps_stops_the_run() {
    #[durable_workflow(goal = "count")]
    async fn count(session: &Session, #[resource] limit: u32) -> Result<u32, Refusal> {
        #[read(key = "one")]
        let one = u32::from(true);
        assert!(one > limit, "the limit is {limit}");
        Ok(one)
    }
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let error = count(&open(&store, &clock).await, 3).await.unwrap_err().to_string();
    assert!(error.contains("`count` panicked at") && error.contains("the limit is 3"), "{error}");
    assert_eq!(count(&open(&store, &clock).await, 0).await.unwrap(), 1);
}

/// Can be read, and panics when it is written.
#[derive(Debug, PartialEq, serde::Deserialize)]
struct Receipt(u32);

impl serde::Serialize for Receipt {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("receipts are not written")
    }
}

/// The effect has happened, and its answer is known: what cannot be stored of it is no reason to repeat it.
#[tokio::test]
async fn a_value_that_panics_while_it_is_written_is_done_and_never_repeated() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] receiver: &Receiver) -> Result<u32, Refusal> {
        #[side_effect(key = "pay", idempotent = "the receiver knows it")]
        let Receipt(paid) = receiver.ask().await.map(Receipt)?;
        Ok(paid)
    }
    let (store, clock, receiver) = (MemoryStore::new(), ManualClock::default(), Receiver::default());
    for _ in 0..3 {
        let error = pay(&open(&store, &clock).await, &receiver).await.unwrap_err().to_string();
        assert!(error.contains("its `Serialize` panicked: receipts are not written"), "{error}");
        assert_eq!(receiver.asked(), 1);
    }
    let session = open(&store, &clock).await;
    session.resolve("pay//pay").happened(&1).by("ada", "read from the receipt").await.unwrap();
    assert_eq!(pay(&session, &receiver).await.unwrap(), 1);
    assert_eq!(receiver.asked(), 1);
}

/// Like any other panic of a body: its run has stopped, and the rest of the process goes on.
#[tokio::test]
async fn an_error_that_panics_while_it_is_shown_stops_its_run() {
    #[derive(Debug)]
    struct Unspeakable;
    impl std::fmt::Display for Unspeakable {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("no words for it")
        }
    }
    impl std::error::Error for Unspeakable {}
    impl From<durable_runtime::Error> for Unspeakable {
        fn from(_: durable_runtime::Error) -> Self {
            Self
        }
    }
    #[durable_workflow(goal = "fail")]
    async fn fails(session: &Session) -> Result<u32, Unspeakable> {
        #[read(key = "look")]
        let seen = u32::try_from(7_u64).map_err(|_| Unspeakable)?;
        if seen == 7 { Err(Unspeakable) } else { Ok(seen) }
    }
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let session = open(&store, &clock).await;
    assert!(matches!(fails(&session).await, Err(Unspeakable)));
    assert!(session.handoff().to_string().contains("an error whose `Display` panicked at"));
    let outcome = Session::builder("memory").store(MemoryStore::new()).run(async |session| fails(session).await).await;
    assert_eq!(outcome, durable_runtime::Outcome::Stopped);
}
