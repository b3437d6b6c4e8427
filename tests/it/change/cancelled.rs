//! Runs that were given up: for ever, and with no word about what is in doubt.

use std::sync::atomic::Ordering;
use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::{World, breaking, open};

#[durable_workflow(key = "trip/{id}", goal = "trip")]
async fn trip(session: &Session, #[resource] world: &World, id: u32) -> anyhow::Result<String> {
    if session.is_cancelled() {
        #[side_effect(key = "refund" as refund, cleanup, in_doubt = "office")]
        world.act(refund.as_str())?;
        return Ok("refunded".to_owned());
    }
    #[side_effect(key = "flight" as flight, in_doubt = "office")]
    world.act(flight.as_str())?;
    #[read(key = "check")]
    world.check()?;
    Ok("booked".to_owned())
}

#[durable_workflow(goal = "another")]
async fn another(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
    #[side_effect(key = "act" as act, in_doubt = "office")]
    world.act(act.as_str())?;
    Ok(())
}

#[tokio::test]
async fn a_cancelled_run_is_in_nobodys_way_and_may_clean_up() {
    let (store, world) = (MemoryStore::new(), breaking());
    trip(&open(&store).await, &world, 1).await.unwrap_err();
    let session = open(&store).await;
    let error = another(&session, &world).await.unwrap_err().to_string();
    assert!(error.contains("session.cancel(\"trip/1\")"), "{error}");
    session.cancel("trip/1").by("ada", "she stays at home").await.unwrap();
    drop(session);

    let session = open(&store).await;
    another(&session, &world).await.unwrap();
    assert_eq!(trip(&session, &world, 1).await.unwrap(), "refunded");
    assert_eq!(world.happened(), ["trip/1//flight", "another//act", "trip/1//refund"]);
    let error = session.cancel("trip/1").by("ada", "again").await.unwrap_err().to_string();
    assert!(error.contains("finished"), "{error}");
}

#[tokio::test]
async fn a_cancelled_run_begins_nothing_new_and_says_who_gave_it_up() {
    #[durable_workflow(goal = "stubborn")]
    async fn stubborn(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "first", in_doubt = "office")]
        world.act("first")?;
        #[read(key = "check")]
        world.check()?;
        inner(session, world).await
    }
    #[durable_workflow]
    async fn inner(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "second", in_doubt = "office")]
        world.act("second")?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), breaking());
    let session = open(&store).await;
    stubborn(&session, &world).await.unwrap_err();
    session.cancel("stubborn").by("ada", "not needed").await.unwrap();
    drop(session);
    world.is_down.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        let error = stubborn(&open(&store).await, &world).await.unwrap_err();
        let durable: &durable_runtime::Error = error.downcast_ref().unwrap();
        assert!(durable.is_cancelled());
        let text = error.to_string();
        assert!(text.contains("by ada (not needed)") && text.contains("`stubborn//inner//second`"), "{text}");
        assert_eq!(world.happened(), ["first"]);
    }
}

#[tokio::test]
async fn cancelling_closes_no_doubt() {
    #[durable_workflow(goal = "doubtful")]
    async fn doubtful(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        if session.is_cancelled() {
            return Ok(());
        }
        #[side_effect(key = "pay" as pay, in_doubt = "treasury")]
        world.pay_and_fail(pay)?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let session = open(&store).await;
    doubtful(&session, &world).await.unwrap_err();
    session.cancel("doubtful").by("ada", "not needed").await.unwrap();
    assert!(session.handoff().to_string().contains("ASK treasury"), "{}", session.handoff());
    drop(session);
    let session = open(&store).await;
    let error = doubtful(&session, &world).await.unwrap_err().to_string();
    assert!(error.contains("in doubt"), "{error}");
    assert!(session.handoff().to_string().contains("ASK treasury"), "{}", session.handoff());
    // No step reads the answer, and none has to: that it is known is enough.
    session.resolve("doubtful//pay").happened(&()).by("ada", "it is booked").await.unwrap();
    drop(session);
    let session = open(&store).await;
    doubtful(&session, &world).await.unwrap();
    let handoff = session.handoff().to_string();
    assert!(handoff.contains("CANCELLED the work") && !handoff.contains("doubtful//pay` happened"), "{handoff}");
}

/// Nobody is asked any more, nor told to wait, for what nobody goes on from.
#[tokio::test]
async fn what_a_cancelled_run_has_waited_for_is_asked_no_more() {
    #[durable_workflow(goal = "wait")]
    async fn waits(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        if session.is_cancelled() {
            return Ok(());
        }
        #[side_effect(key = "try", verify = world.has("try"), settle = "0s")]
        let tried: () = world.check()?;
        let asks = async {
            #[decision(key = "agree", ask = "sales")]
            let agreed: Approval = session.decide().await?;
            anyhow::Ok(agreed.is_approved())
        };
        let sleeps = async {
            #[sleep(key = "night")]
            session.sleep(Duration::from_secs(3600)).await?;
            anyhow::Ok(())
        };
        let (agreed, slept) = tokio::join!(asks, sleeps);
        agreed?;
        slept?;
        Ok(tried)
    }
    for is_down in [true, false] {
        let (store, world) = (MemoryStore::new(), World { is_down: is_down.into(), ..World::default() });
        let session = Session::builder("memory").store(store.clone()).waits(durable_runtime::Waits::Exit);
        let session = session.open().await.unwrap();
        waits(&session, &world).await.unwrap_err();
        session.cancel("waits").by("bob", "nobody answers").await.unwrap();
        let given_up = session.handoff().to_string();
        assert!(!given_up.contains("ASK sales") && !given_up.contains("WAIT until"), "{given_up}");
        drop(session);
        let session = open(&store).await;
        waits(&session, &world).await.unwrap();
        let finished = session.handoff().to_string();
        assert!(finished.contains("A person has CANCELLED the work"), "{finished}");
        assert!(["agree", "night"].iter().all(|key| !finished.contains(&format!("waits//{key}"))), "{finished}");
        if !is_down {
            let late = session.answer("waits//agree").approve().by("ada", "late").await.unwrap_err().to_string();
            assert!(late.contains("its run is finished"), "{late}");
        }
    }
}

#[tokio::test]
async fn a_cancellation_needs_a_run_a_name_and_a_reason() {
    let (store, world) = (MemoryStore::new(), breaking());
    let session = open(&store).await;
    trip(&session, &world, 1).await.unwrap_err();
    for (run, name, because, why) in [
        ("trip/2", "ada", "no", "no such run"),
        ("trip/1", " ", "no", "needs a name"),
        ("trip/1", "ada", "", "needs a name"),
    ] {
        let error = session.cancel(run).by(name, because).await.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    session.cancel("trip/1").by("ada", "no").await.unwrap();
    let error = session.cancel("trip/1").by("bob", "no").await.unwrap_err().to_string();
    assert!(error.contains("ada has cancelled it"), "{error}");
}

/// G38: a token that fires while a step waits is no result of that step.
#[tokio::test]
async fn g38_a_cancel_that_drops_a_waiting_step_is_not_its_result() {
    #[durable_workflow(goal = "wait")]
    async fn wait(session: &Session, #[resource] answer: Option<u32>) -> anyhow::Result<u32> {
        #[side_effect(key = "wait_child", verify = answer, settle = "0s")]
        let child = child(answer).await?;
        Ok(child)
    }
    async fn child(answer: Option<u32>) -> anyhow::Result<u32> {
        match answer {
            Some(answer) => Ok(answer),
            None => std::future::pending().await,
        }
    }
    let store = MemoryStore::new();
    let session = open(&store).await;
    let token = tokio::sync::Notify::new();
    token.notify_one();
    let cancelled = async {
        while !store.records().iter().any(|record| record.event.action() == "reserve") {
            tokio::task::yield_now().await;
        }
        token.notified().await;
    };
    tokio::select! {
        biased;
        _ = wait(&session, None) => panic!("it waits for ever"),
        () = cancelled => {}
    }
    // What the drop has said is written.
    session.close().await.unwrap();
    let actions = |of: &[&str]| {
        let records = store.records();
        records.iter().map(|record| record.event.action()).filter(|action| of.contains(action)).collect::<Vec<_>>()
    };
    assert_eq!(actions(&["reserve", "failed", "absent", "done"]), ["reserve", "failed"]);
    assert_eq!(wait(&open(&store).await, Some(7)).await.unwrap(), 7);
    assert_eq!(actions(&["reserve", "absent", "done"]), ["reserve", "done"], "it was looked up, and not run again");
}

/// Whoever waits in a run that is given up waits no longer, neither in this start nor in the next.
#[tokio::test(start_paused = true)]
async fn a_cancelled_run_waits_for_nobody() {
    #[durable_workflow(goal = "ask first")]
    async fn asks(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        if session.is_cancelled() {
            return Ok(0);
        }
        #[read(key = "looked")]
        let looked = !world.has("nothing");
        #[decision(key = "agree", ask = "ada", shows = looked)]
        let agreed: bool = session.decide().await?;
        #[sleep(key = "cool")]
        session.sleep(Duration::from_secs(3600)).await?;
        Ok(u32::from(agreed))
    }
    let (store, world) = (MemoryStore::new(), breaking());
    let session = open(&store).await;
    let given_up = async {
        while !session.handoff().to_string().contains("`asks//agree`") {
            tokio::task::yield_now().await;
        }
        session.cancel("asks").by("bob", "nobody answers").await
    };
    let (waited, cancelled) = tokio::join!(asks(&session, &world), given_up);
    cancelled.unwrap();
    let error = waited.unwrap_err();
    assert!(error.downcast_ref::<durable_runtime::Error>().unwrap().is_cancelled(), "{error}");
    assert!(error.to_string().contains("bob"), "{error}");
    drop(session);
    assert_eq!(asks(&open(&store).await, &world).await.unwrap(), 0);
}

#[tokio::test]
async fn nobody_is_told_to_wait_for_a_run_that_was_given_up() {
    #[durable_workflow]
    async fn nap(session: &Session) -> anyhow::Result<()> {
        #[decision(key = "wake", ask = "mother")]
        session.decide::<()>().await?;
        Ok(())
    }
    #[durable_workflow(goal = "nap")]
    async fn all(session: &Session) -> anyhow::Result<()> {
        #[run(key = "nap", errors = "later")]
        nap(session).await;
        Ok(())
    }
    let store = MemoryStore::new();
    let open = async || {
        let builder = Session::builder("memory").store(store.clone()).waits(durable_runtime::Waits::Exit);
        builder.open().await.unwrap()
    };
    all(&open().await).await.unwrap_err();
    let session = open().await;
    session.cancel("all//nap").by("ada", "it is noon").await.unwrap();
    all(&session).await.unwrap();
    let handoff = session.handoff().to_string();
    assert!(!handoff.contains("mother") && !handoff.contains("in `all//nap`"), "{handoff}");
    assert!(handoff.contains("Everything that was started is finished"), "{handoff}");
}

/// Nothing is to be mended before what was given up has cleaned up, whichever runs stand around it.
#[tokio::test]
async fn a_run_around_one_that_has_to_clean_up_asks_for_another_start_and_no_more() {
    #[durable_workflow]
    async fn leg(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        if session.is_cancelled() {
            #[side_effect(key = "refund" as refund, cleanup, in_doubt = "office")]
            world.act(refund.as_str())?;
            return Ok(());
        }
        #[side_effect(key = "flight" as flight, in_doubt = "office")]
        world.act(flight.as_str())?;
        session.cancel("tour//leg").by("ada", "she stays at home").await?;
        #[side_effect(key = "hotel" as hotel, in_doubt = "office")]
        world.act(hotel.as_str())?;
        Ok(())
    }
    #[durable_workflow(goal = "tour")]
    async fn tour(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        leg(session, world).await
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let session = open(&store).await;
    tour(&session, &world).await.unwrap_err();
    let handoff = session.handoff().to_string();
    assert!(!handoff.contains("FIX") && !handoff.contains("An error"), "{handoff}");
    assert!(handoff.contains("1. START the worker again if none is running: it cleans up in `tour//leg`"), "{handoff}");
    session.close().await.unwrap();
    let session = open(&store).await;
    tour(&session, &world).await.unwrap();
    assert_eq!(world.happened(), ["tour//leg//flight", "tour//leg//refund"]);
}
