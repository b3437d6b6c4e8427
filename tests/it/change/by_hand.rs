//! Steps that are written by hand, whose keys the code or the clock has changed between two starts.

use std::sync::atomic::Ordering;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::{Error, Outcome};

use super::{World, breaking, open};

#[durable_workflow(goal = "audit", retired = ["left/{day}"])]
async fn audit(session: &Session, #[resource] world: &World, #[resource] key: &str) -> anyhow::Result<()> {
    session.side_effect(key).in_doubt("ops").run(|key| async move { world.act(key.as_str()) }).await?;
    #[read(key = "check")]
    world.check()?;
    Ok(())
}

fn told(error: &anyhow::Error) -> (Outcome, String) {
    let error = error.downcast_ref::<Error>().unwrap();
    (error.outcome(), error.to_string())
}

#[tokio::test]
async fn a_key_that_comes_out_otherwise_is_noticed_at_the_end_and_no_third_is_begun() {
    let (store, world) = (MemoryStore::new(), breaking());
    audit(&open(&store).await, &world, "audit/1").await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);

    let (outcome, text) = told(&audit(&open(&store).await, &world, "audit/2").await.unwrap_err());
    assert_eq!(outcome, Outcome::Conflict);
    assert!(text.contains("ended without reaching `audit//audit/1`"), "{text}");
    let (outcome, text) = told(&audit(&open(&store).await, &world, "audit/3").await.unwrap_err());
    assert_eq!(outcome, Outcome::Conflict);
    assert!(text.contains("written by hand like this one") && text.contains("retired = [\"audit/1\"]"), "{text}");
    assert_eq!(world.happened(), ["audit//audit/1", "audit//audit/2"]);
}

#[tokio::test]
async fn a_key_that_the_code_has_retired_is_not_missed() {
    let (store, world) = (MemoryStore::new(), breaking());
    audit(&open(&store).await, &world, "left/1").await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    audit(&open(&store).await, &world, "audit/1").await.unwrap();
}

/// What nobody can finish can be given up.
#[tokio::test]
async fn a_run_whose_keys_come_out_otherwise_ends_as_cancelled_once_it_is_given_up() {
    let (store, world) = (MemoryStore::new(), breaking());
    audit(&open(&store).await, &world, "audit/1").await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    audit(&open(&store).await, &world, "audit/2").await.unwrap_err();
    let session = open(&store).await;
    session.cancel("audit").by("ada", "its keys are lost").await.unwrap();
    drop(session);
    for _ in 0..2 {
        let (outcome, text) = told(&audit(&open(&store).await, &world, "audit/3").await.unwrap_err());
        assert_eq!(outcome, Outcome::Cancelled, "{text}");
    }
    assert_eq!(world.happened(), ["audit//audit/1", "audit//audit/2"]);
}
