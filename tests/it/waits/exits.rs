//! A process that does not wait ends with the code that says so, and leaves nothing that was under way.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use durable_runtime::clock::Clock;
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

/// What is open stays open, and whoever looks at the code alone must not take the work for done.
#[tokio::test]
async fn a_start_that_reaches_nothing_ends_with_the_code_of_what_the_session_left_open() {
    #[durable_workflow(goal = "sleep, and pay")]
    async fn works(session: &Session) -> anyhow::Result<()> {
        #[sleep(key = "night")]
        session.sleep(HOUR).await?;
        #[side_effect(key = "pay", in_doubt = "treasury")]
        let _paid: u32 = Err(anyhow::anyhow!("no answer"))?;
        Ok(())
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let builder = || Session::builder("memory").store(store.clone()).clock(clock.clone()).waits(Waits::Exit);
    let idle = async || builder().run(async |_| anyhow::Ok(())).await;
    assert_eq!(idle().await, Outcome::Finished);
    assert_eq!(builder().run(async |session| works(session).await).await, Outcome::Waiting);
    assert_eq!(idle().await, Outcome::Waiting);
    clock.forward(HOUR);
    assert_eq!(builder().run(async |session| works(session).await).await, Outcome::InDoubt);
    assert_eq!(idle().await, Outcome::InDoubt);
    let answers = async |session: &Session| session.resolve("works//pay").happened(&7).by("ada", "seen").await;
    assert_eq!(builder().run(answers).await, Outcome::Stopped, "it is answered, and the run is not finished");
    assert_eq!(builder().run(async |session| works(session).await).await, Outcome::Finished);
    assert_eq!(idle().await, Outcome::Finished);
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
        #[side_effect(key = "pay", verify = calls.load(Ordering::Relaxed) > 1, settle = "1h")]
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

/// A read has no reservation, and a verifier none of its own: both are under way all the same.
#[tokio::test]
async fn a_read_a_verifier_and_a_short_wait_beside_a_long_one_are_let_end() {
    #[durable_workflow(goal = "work while another sleeps")]
    async fn both(
        session: &Session,
        #[resource] acts: &AtomicU32,
        #[resource] store: &MemoryStore,
        #[resource] clock: &HandClock,
    ) -> anyhow::Result<()> {
        let sleep = async {
            #[sleep(key = "night")]
            session.sleep(HOUR).await?;
            anyhow::Ok(())
        };
        let work = async {
            #[read(key = "look")]
            a_while().await;
            #[side_effect(key = "act", verify = { a_while().await; Some(1) }, settle = "0s")]
            let one: u32 = Err::<u32, _>(anyhow::anyhow!("no answer"))?;
            #[sleep(key = "moment")]
            session.sleep(Duration::from_secs(2)).await?;
            #[side_effect(key = "last", in_doubt = "ada")]
            acts.fetch_add(one, Ordering::Relaxed);
            anyhow::Ok(())
        };
        let time = async {
            while count(store, "wait") < 2 {
                tokio::task::yield_now().await;
            }
            a_while().await;
            clock.forward(Duration::from_secs(2));
            anyhow::Ok(())
        };
        let (slept, worked, _) = tokio::join!(sleep, work, time);
        worked.and(slept)
    }
    let (store, clock, acts) = (MemoryStore::new(), HandClock::new(), AtomicU32::new(0));
    let error = both(&exiting(&store, &clock).await, &acts, &store, &clock).await.unwrap_err();
    assert!(of(&error).is_waiting(), "{error}");
    assert_eq!(acts.load(Ordering::Relaxed), 1);
}

/// Longer than it takes to find everything else idle.
async fn a_while() {
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn of_several_waits_the_first_that_ends_says_when_to_start_again() {
    #[durable_workflow(goal = "wait twice")]
    async fn both(session: &Session) -> anyhow::Result<()> {
        let long = async {
            #[sleep(key = "long")]
            session.sleep(HOUR).await?;
            anyhow::Ok(())
        };
        let short = async {
            #[sleep(key = "short")]
            session.sleep(HOUR / 2).await?;
            anyhow::Ok(())
        };
        let (long, short) = tokio::join!(long, short);
        long.and(short)
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let wakes = async || of(&both(&exiting(&store, &clock).await).await.unwrap_err()).waits_until().unwrap();
    let now = clock.now();
    assert_eq!(wakes().await, now.after(HOUR / 2).into());
    clock.forward(HOUR / 2);
    assert_eq!(wakes().await, now.after(HOUR).into());
}

#[tokio::test]
async fn runs_for_later_that_only_wait_are_waited_for() {
    #[durable_workflow]
    async fn nap(session: &Session, #[resource] fails: bool) -> anyhow::Result<()> {
        anyhow::ensure!(!fails, "no bed");
        #[sleep(key = "nap")]
        session.sleep(HOUR).await?;
        Ok(())
    }
    #[durable_workflow(goal = "let all sleep")]
    async fn all(session: &Session, #[resource] fails: bool) -> anyhow::Result<()> {
        for n in 0..3 {
            #[run(key = "nap/{n}", errors = "later")]
            nap(session, fails && n == 2).await;
        }
        Ok(())
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let life = async |fails| {
        let builder = Session::builder("memory").store(store.clone()).clock(clock.clone()).waits(Waits::Exit);
        builder.run(async |session| all(session, fails).await).await
    };
    assert_eq!(life(false).await, Outcome::Waiting);
    let handoff = store.handoff().unwrap();
    assert!(handoff.contains("1. WAIT until") && !handoff.contains("FIX"), "{handoff}");
    assert_eq!(life(true).await, Outcome::Stopped);
    clock.forward(HOUR);
    assert_eq!(life(false).await, Outcome::Finished);
}
