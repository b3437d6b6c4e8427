//! A process that does not wait ends with the code that says so, and leaves nothing that was under way.

use std::sync::atomic::{AtomicU32, Ordering};

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::{Outcome, Waits};

use super::world::{HOUR, HandClock, count, exiting, of};

#[tokio::test]
async fn a_process_that_waits_ends_with_its_own_code_and_nothing_to_fix() {
    #[durable_workflow(goal = "sleep")]
    async fn sleeps(session: &Session) -> anyhow::Result<()> {
        #[sleep(key = "night")]
        session.sleep(HOUR).await?;
        Ok(())
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let life = async || {
        let builder = Session::builder("memory").store(store.clone()).clock(clock.clone()).waits(Waits::Exit);
        builder.run(async |session| sleeps(session).await).await
    };
    assert_eq!((life().await, Outcome::Waiting.code()), (Outcome::Waiting, 79));
    let handoff = store.handoff().unwrap();
    assert!(handoff.contains("1. WAIT until") && !handoff.contains("FIX"), "{handoff}");
    clock.forward(HOUR);
    assert_eq!(life().await, Outcome::Finished);
}

#[tokio::test]
async fn branches_beside_a_wait_come_as_far_as_they_can_before_the_process_ends() {
    #[durable_workflow(goal = "work while another sleeps")]
    async fn both(session: &Session, #[resource] acts: &AtomicU32) -> anyhow::Result<()> {
        let sleep = async {
            #[sleep(key = "night")]
            session.sleep(HOUR).await?;
            anyhow::Ok(())
        };
        let work = async {
            for n in 0..5 {
                #[side_effect(key = "act/{n}", idempotent = "counted here")]
                let _count = async {
                    for _ in 0..100 {
                        tokio::task::yield_now().await;
                    }
                    acts.fetch_add(1, Ordering::Relaxed)
                }
                .await;
            }
            anyhow::Ok(())
        };
        let (slept, worked) = tokio::join!(sleep, work);
        slept?;
        worked
    }
    let (store, clock, acts) = (MemoryStore::new(), HandClock::new(), AtomicU32::new(0));
    let error = both(&exiting(&store, &clock).await, &acts).await.unwrap_err();
    assert!(of(&error).is_waiting(), "{error}");
    assert_eq!((acts.load(Ordering::Relaxed), count(&store, "done")), (5, 5));
    clock.forward(HOUR);
    both(&exiting(&store, &clock).await, &acts).await.unwrap();
    assert_eq!(acts.load(Ordering::Relaxed), 5);
}

#[tokio::test]
async fn a_wait_for_what_may_still_land_ends_the_process_too() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] calls: &AtomicU32) -> anyhow::Result<()> {
        #[side_effect(key = "pay", verify = false, settle = "1h")]
        if calls.fetch_add(1, Ordering::Relaxed) == 0 { Err(anyhow::anyhow!("no answer")) } else { Ok(()) }?;
        Ok(())
    }
    let (store, clock, calls) = (MemoryStore::new(), HandClock::new(), AtomicU32::new(0));
    for _ in 0..2 {
        let error = pay(&exiting(&store, &clock).await, &calls).await.unwrap_err();
        assert!(of(&error).is_waiting(), "{error}");
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }
    clock.forward(HOUR);
    pay(&exiting(&store, &clock).await, &calls).await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn an_error_beside_a_wait_is_what_the_process_ends_with() {
    #[durable_workflow(goal = "fail while another sleeps")]
    async fn both(session: &Session) -> anyhow::Result<()> {
        let sleep = async {
            #[sleep(key = "night")]
            session.sleep(HOUR).await?;
            anyhow::Ok(())
        };
        let fails = async {
            #[read(key = "look")]
            Err::<(), _>(anyhow::anyhow!("no such file"))?;
            anyhow::Ok(())
        };
        let (slept, failed) = tokio::join!(sleep, fails);
        failed.and(slept)
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    for waits in [Waits::Exit, Waits::Hold] {
        let builder = Session::builder("memory").store(store.clone()).clock(clock.clone()).waits(waits);
        assert_eq!(builder.run(async |session| both(session).await).await, Outcome::Stopped);
    }
}
