//! A sleep ends once, and never before the instant that was recorded.

use std::time::{Duration, SystemTime};

use durable_runtime::clock::Clock;
use durable_runtime::core::meta::StepKind;
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;

use super::world::{HOUR, HandClock, count, exiting, holding, of, wakes};

const MINUTE: Duration = Duration::from_secs(60);

#[durable_workflow(goal = "cool down")]
async fn cool_down(session: &Session) -> anyhow::Result<String> {
    #[sleep(key = "cool-down", title = "let it cool")]
    session.sleep(HOUR).await?;
    Ok("cool".to_owned())
}

/// G45: the clock steps back ten minutes between two boots.
#[tokio::test]
async fn g45_a_sleep_wakes_once_and_not_before_its_instant_though_the_clock_steps_back() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let began = clock.now();
    let waits = async || {
        let error = cool_down(&exiting(&store, &clock).await).await.unwrap_err();
        assert!(of(&error).is_waiting(), "{error}");
        assert_eq!(of(&error).waits_until(), Some(SystemTime::from(began.after(HOUR))));
    };
    waits().await;
    clock.back(10 * MINUTE);
    waits().await;
    clock.forward(69 * MINUTE);
    waits().await;
    assert_eq!(count(&store, "woke"), 0);
    clock.forward(MINUTE);
    for _ in 0..2 {
        assert_eq!(cool_down(&exiting(&store, &clock).await).await.unwrap(), "cool");
    }
    assert_eq!((wakes(&store), count(&store, "woke")), (vec![began.after(HOUR)], 1));
}

/// G45: the clock jumps past the instant while nobody runs.
#[tokio::test]
async fn g45_a_sleep_whose_instant_is_over_ends_at_once() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    cool_down(&exiting(&store, &clock).await).await.unwrap_err();
    clock.forward(100 * HOUR);
    assert_eq!(cool_down(&exiting(&store, &clock).await).await.unwrap(), "cool");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_in_the_middle_of_a_sleep_lets_it_sleep_on() {
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let until = clock.now().after(HOUR);
    let session = holding(&store, &clock).await;
    let sleeps = tokio::spawn(async move { cool_down(&session).await });
    for jump in [30 * MINUTE, 59 * MINUTE] {
        while count(&store, "wait") == 0 {
            tokio::task::yield_now().await;
        }
        clock.set(until);
        clock.back(jump);
        tokio::time::timeout(10 * MINUTE, std::future::pending::<()>()).await.unwrap_err();
        assert!(!sleeps.is_finished());
    }
    clock.set(until);
    assert_eq!(sleeps.await.unwrap().unwrap(), "cool");
}

#[tokio::test]
async fn a_killed_sleep_sleeps_the_rest_and_nothing_more() {
    #[durable_workflow(goal = "sleep twice")]
    async fn sleeps(session: &Session) -> anyhow::Result<()> {
        for night in 1..=2 {
            #[sleep(key = "night/{night}")]
            session.sleep(8 * HOUR).await?;
        }
        Ok(())
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let began = clock.now();
    for _ in 0..4 {
        sleeps(&exiting(&store, &clock).await).await.unwrap_err();
        clock.forward(5 * HOUR);
    }
    sleeps(&exiting(&store, &clock).await).await.unwrap();
    assert_eq!(wakes(&store), [began.after(8 * HOUR), began.after(18 * HOUR)]);
}

#[tokio::test]
async fn a_sleep_until_an_instant_ends_then_and_one_that_is_over_at_once() {
    #[durable_workflow(goal = "wait for the opening", inputs = "recorded")]
    async fn open(session: &Session, at: SystemTime) -> anyhow::Result<()> {
        #[sleep(key = "opening")]
        session.sleep_until(at).await?;
        Ok(())
    }
    for hours in [0, 1] {
        let (store, clock) = (MemoryStore::new(), ManualClock::default());
        let at = clock.now().after(hours * HOUR);
        let session = Session::builder("memory").store(store.clone()).clock(clock.clone()).open().await.unwrap();
        open(&session, at.into()).await.unwrap();
        assert_eq!((clock.now(), wakes(&store)), (at, vec![at]));
    }
}

#[tokio::test]
async fn a_sleep_is_a_step_of_its_outline_and_stands_in_the_handoff() {
    let outline = outline!(cool_down);
    assert_eq!((outline.steps[0].key.as_str(), outline.steps[0].kind), ("cool-down", StepKind::Sleep));
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let session = exiting(&store, &clock).await;
    cool_down(&session).await.unwrap_err();
    let handoff = session.handoff().to_string();
    let wanted = [
        "1. WAIT until 2026-09-13T09:00:00.000Z, then start",
        "`cool_down//cool-down` (let it cool) sleeps until then",
    ];
    assert!(wanted.iter().all(|words| handoff.contains(words)), "{handoff}");
    assert!(!handoff.contains("Error"), "{handoff}");
}

#[tokio::test]
async fn a_sleep_that_is_dropped_stops_its_run() {
    #[durable_workflow(goal = "wait for one of two")]
    async fn either(session: &Session) -> anyhow::Result<String> {
        let sleep = async {
            #[sleep(key = "long")]
            session.sleep(HOUR).await?;
            anyhow::Ok("slept")
        };
        let first = tokio::select! {
            biased;
            slept = sleep => slept?,
            () = std::future::ready(()) => "went on",
        };
        #[read(key = "after")]
        let after = first.to_owned();
        drop(after);
        Ok(first.to_owned())
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    let error = either(&holding(&store, &clock).await).await.unwrap_err();
    let text = "the wait was dropped before it ended, as a `select!` or a `tokio::time::timeout` around it does; what is to end in time says so itself";
    assert!(error.to_string().contains(text), "{error}");
}
