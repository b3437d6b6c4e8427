use std::pin::pin;

use super::*;
use crate::core::record::Event;
use crate::session::tests::{VERIFIED, begin, open, run};
use crate::store::memory::MemoryStore;

/// The checkpoints that say why they were written.
fn reasons(store: &MemoryStore) -> Vec<String> {
    let records = store.records();
    let why = records.iter().filter_map(|record| match &record.event {
        Event::Checkpoint(checkpoint) => checkpoint.why.clone(),
        _ => None,
    });
    why.collect()
}

async fn told(session: &Session, used: &[u64]) -> Vec<Budget> {
    let mut told = Vec::new();
    for &used in used {
        told.push(session.budget(used, 100).await.unwrap());
    }
    told
}

#[tokio::test]
async fn half_of_the_budget_writes_one_checkpoint_and_every_view_says_so() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    assert_eq!(told(&session, &[10, 49, 50, 70, 100]).await, {
        use Budget::{Fine, HalfUsed, Low, Spent};
        [Fine, Fine, HalfUsed, Low, Spent]
    });
    assert_eq!(reasons(&store), ["half of the context budget is used: 50 of 100"]);
    let handoff = session.handoff().to_string();
    assert!(
        handoff.contains("Context budget: 100 of 100 used (100 %). That is more than half, so a checkpoint"),
        "{handoff}"
    );

    let store = MemoryStore::new();
    let session = open(&store).await;
    assert_eq!(session.budget(120_000, 200_000).await.unwrap(), Budget::HalfUsed);
    let published = store.handoff().unwrap();
    assert!(published.contains("Context budget: 120000 of 200000 used (60 %). That is more than half"), "{published}");
    let state = store.state().unwrap();
    assert_eq!(state.durable.seq, store.records().last().unwrap().seq, "state.json says it too");
}

/// A context that was made smaller, and one of a new process, are half used a second time.
#[tokio::test]
async fn every_time_the_context_budget_is_half_exhausted_it_is_told() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    assert_eq!(told(&session, &[60, 20, 55]).await, [Budget::HalfUsed, Budget::Fine, Budget::HalfUsed]);
    drop(session);
    let session = open(&store).await;
    let fresh = session.handoff().to_string();
    assert!(!fresh.contains("Context budget"), "the context of the last process is gone with it: {fresh}");
    assert_eq!(told(&session, &[58]).await, [Budget::HalfUsed]);
    assert_eq!(reasons(&store).len(), 3);
}

#[tokio::test]
async fn a_resumed_run_is_told_the_same_and_writes_only_that_half_of_its_own_context_is_used() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    let of_run = run(&session).await;
    assert_eq!(told(of_run.session(), &[30, 60]).await, [Budget::Fine, Budget::HalfUsed]);
    of_run.session().checkpoint("the model is changed").await.unwrap();
    drop((session, of_run));

    let session = open(&store).await;
    let of_run = run(&session).await;
    let before = store.records().len();
    assert_eq!(told(of_run.session(), &[30, 60]).await, [Budget::Fine, Budget::HalfUsed]);
    of_run.session().checkpoint("the model is changed").await.unwrap();
    assert_eq!(store.records().len(), before + 3, "the budget, its checkpoint, and a mark");
    let handoff = session.handoff().to_string();
    assert!(handoff.contains("Context budget: 60 of 100 used"), "{handoff}");
    assert_eq!(told(of_run.session(), &[61]).await, [Budget::Low]);
    of_run.session().checkpoint("once more").await.unwrap();
    let half = "half of the context budget is used: 60 of 100";
    assert_eq!(reasons(&store), [half, "the model is changed", half, "once more"]);
}

#[tokio::test]
async fn a_budget_of_nothing_is_refused_and_more_than_there_is_is_spent() {
    let session = open(&MemoryStore::new()).await;
    let error = session.budget(5, 0).await.unwrap_err().to_string();
    assert!(error.contains("5 of 0 used") && error.contains("session/budget/tests.rs:"), "{error}");
    assert_eq!(session.budget(u64::MAX, 1).await.unwrap(), Budget::Spent);
}

/// A resumed run would not be there again, and be told otherwise from then on.
#[tokio::test]
async fn a_budget_is_not_told_of_inside_a_step() {
    let session = open(&MemoryStore::new()).await;
    let of_run = run(&session).await;
    let slot = begin(&of_run, &VERIFIED).await;
    let told = pin!(async { of_run.session().budget(60, 100).await.unwrap_err().to_string() });
    let error = slot.effect().poll(told).await;
    assert!(error.contains("reached inside the expression of step `pay//verified`"), "{error}");
}
