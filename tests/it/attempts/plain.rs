//! Steps without attributes.

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;
use durable_runtime::{Error, StepKey};

use super::receiver::{Answer, Receiver, Refusal, killed};

async fn open(store: &MemoryStore) -> Session {
    loop {
        let settings = Session::builder("memory").store(store.clone()).clock(ManualClock::default()).goal("pay");
        match settings.open().await {
            Err(error) if error.is_locked() => tokio::task::yield_now().await,
            opened => return opened.unwrap(),
        }
    }
}

async fn pay(session: &Session, receiver: &Receiver, id: u32) -> Result<u32, Refusal> {
    session
        .side_effect(format!("pay/{id}"))
        .title(format!("pay {id}"))
        .args(&id)
        .settle(std::time::Duration::ZERO)
        .attempts(2)
        .verify(|_| async { receiver.find() })
        .in_doubt("treasury")
        .run_classified(|_| async { receiver.ask().await }, Refusal::classify)
        .await
}

/// Outside any workflow its key stands alone, and it is spawned like anything else.
#[tokio::test(start_paused = true)]
async fn a_step_without_an_attribute_happens_once_across_a_kill() {
    let (store, receiver) = (MemoryStore::new(), std::sync::Arc::new(Receiver::that([Answer::Does, Answer::Hangs])));
    {
        let session = open(&store).await;
        assert_eq!(pay(&session, &receiver, 1).await.unwrap(), 1);
        killed(pay(&session, &receiver, 2)).await;
    }
    let session = open(&store).await;
    let one = std::sync::Arc::clone(&receiver);
    let other = session.clone();
    assert_eq!(tokio::spawn(async move { pay(&other, &one, 1).await }).await.unwrap().unwrap(), 1);
    assert_eq!(pay(&session, &receiver, 2).await.unwrap(), 1, "its verifier says that it happened");
    assert_eq!((receiver.asked(), receiver.done()), (2, 1));
    let error = pay(&session, &receiver, 2).await.unwrap_err().to_string();
    assert!(error.contains("key `pay/2` is reached twice") && error.contains("attempts/plain.rs:"), "{error}");
}

#[durable_workflow(goal = "pay all")]
async fn pay_all(session: &Session, #[resource] receiver: &Receiver, ids: &[u32]) -> Result<u32, Refusal> {
    let mut paid = 0;
    for id in ids {
        paid += pay(session, receiver, *id).await?;
    }
    let rate = session.read("rate").run(|| async { Ok::<_, Error>(3) }).await?;
    #[side_effect(key = "mail", idempotent = "it does no harm")]
    let mailed = receiver.ask().await?;
    Ok(paid + rate + mailed)
}

/// In a workflow they belong to its run, and no change of the code misses them.
#[tokio::test]
async fn in_a_workflow_its_key_belongs_to_the_run() {
    let store = MemoryStore::new();
    let receiver = Receiver::that([Answer::Does, Answer::Does, Answer::Refuses(Refusal::Reset)]);
    let session = open(&store).await;
    pay_all(&session, &receiver, &[1, 2]).await.unwrap_err();
    assert!(session.handoff().to_string().contains("`pay_all//pay/2`"), "{}", session.handoff());
    drop(session);
    assert_eq!(pay_all(&open(&store).await, &receiver, &[1, 2]).await.unwrap(), 1 + 2 + 3 + 3);
    assert_eq!(receiver.asked(), 4);
}

#[tokio::test]
async fn an_error_is_a_value_where_it_is_asked_for() {
    let (store, receiver) = (MemoryStore::new(), Receiver::refusing(|| Refusal::NoSuchAccount, 1));
    for _ in 0..2 {
        let session = open(&store).await;
        let step = session.side_effect("pay").verify(|_| async { receiver.find() });
        let paid = step.run_recorded(|_| async { receiver.ask().await }, Refusal::classify).await.unwrap();
        assert_eq!(paid.unwrap_err().code(), Some("402"));
    }
    assert_eq!(receiver.asked(), 1);
}

#[tokio::test]
async fn what_cannot_be_is_refused_before_it_runs() {
    let (store, receiver) = (MemoryStore::new(), Receiver::default());
    let effect = |_: StepKey| async { receiver.ask().await };
    let session = open(&store).await;
    for (key, want) in
        [("a//b", "`//`, which stands between a run and its steps"), ("", "empty"), (&"x".repeat(500), "480 at most")]
    {
        let error = session.side_effect(key).idempotent().run(effect).await.unwrap_err().to_string();
        assert!(error.contains(want), "{key:?}: {error}");
    }
    let homeless = Session::builder("memory").store(MemoryStore::new()).open().await.unwrap();
    let error = homeless.side_effect("pay").idempotent().run(effect).await.unwrap_err().to_string();
    assert!(
        error.contains("no goal is known, so step `pay` (") && error.contains("Session::builder(..).goal"),
        "{error}"
    );
    assert_eq!(receiver.asked(), 0);
}
