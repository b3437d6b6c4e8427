//! How a run ends that was given up: as cancelled, in this start and in every later one, and never as a success that it
//! was not.

use std::sync::atomic::Ordering;

use durable_runtime::core::record::Event;
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::{Error, Outcome, Waits};

use super::{World, breaking, open};

/// One life of a process, as its exit code tells it.
async fn life<T, E: std::fmt::Display>(
    store: &MemoryStore,
    work: impl AsyncFnOnce(&Session) -> Result<T, E>,
) -> Outcome {
    Session::builder("memory").store(store.clone()).waits(Waits::Exit).run(work).await
}

async fn cancel(store: &MemoryStore, run: &str) {
    open(store).await.cancel(run).by("ada", "she stays at home").await.unwrap();
}

async fn handoff(store: &MemoryStore) -> String {
    open(store).await.handoff().to_string()
}

fn is_cancelled(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Error>().is_some_and(Error::is_cancelled)
}

#[durable_workflow(goal = "book")]
async fn book(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
    #[side_effect(key = "flight", in_doubt = "office")]
    world.act("flight")?;
    #[read(key = "check")]
    world.check()?;
    #[side_effect(key = "hotel", in_doubt = "office")]
    world.act("hotel")?;
    Ok(2)
}

#[tokio::test]
async fn a_run_without_cleanup_ends_as_cancelled_at_every_start() {
    let (store, world) = (MemoryStore::new(), breaking());
    assert_eq!(life(&store, async |session| book(session, &world).await).await, Outcome::Stopped);
    cancel(&store, "book").await;
    world.is_down.store(false, Ordering::Relaxed);
    for _ in 0..3 {
        let outcome = life(&store, async |session| book(session, &world).await).await;
        assert_eq!((outcome, outcome.code()), (Outcome::Cancelled, 80));
        let handoff = handoff(&store).await;
        let wanted =
            ["CANCELLED by `ada`", "`she stays at home`", "NOTHING is left to do", "`hotel`: that stays undone"];
        assert!(wanted.iter().all(|words| handoff.contains(words)), "{handoff}");
        assert!(["FIX", "error stopped", "Error"].iter().all(|words| !handoff.contains(words)), "{handoff}");
    }
    assert_eq!(world.happened(), ["flight"]);
    assert!(!store.records().iter().any(|record| matches!(record.event, Event::End(_))), "it has no result");
}

#[tokio::test]
async fn its_error_says_who_and_why_and_that_no_start_changes_it() {
    let (store, world) = (MemoryStore::new(), breaking());
    book(&open(&store).await, &world).await.unwrap_err();
    cancel(&store, "book").await;
    world.is_down.store(false, Ordering::Relaxed);
    let error = book(&open(&store).await, &world).await.unwrap_err();
    let text = error.to_string();
    assert!(is_cancelled(&error), "{text}");
    assert!(text.contains("`book//hotel`") && text.contains("by ada (she stays at home) at 20"), "{text}");
}

/// Whatever the body makes of the refusal: what was not begun is missing in what it gives.
#[tokio::test]
async fn a_run_that_swallows_the_refusal_has_no_result() {
    #[durable_workflow(goal = "book")]
    async fn swallows(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[read(key = "check")]
        world.check()?;
        let hotel = async {
            #[side_effect(key = "hotel", in_doubt = "office")]
            world.act("hotel")?;
            anyhow::Ok(())
        };
        hotel.await.ok();
        Ok(1)
    }
    let (store, world) = (MemoryStore::new(), breaking());
    swallows(&open(&store).await, &world).await.unwrap_err();
    cancel(&store, "swallows").await;
    world.is_down.store(false, Ordering::Relaxed);
    let error = swallows(&open(&store).await, &world).await.unwrap_err();
    assert!(is_cancelled(&error) && error.to_string().contains("ended without a result"), "{error}");
    assert_eq!(life(&store, async |session| swallows(session, &world).await).await, Outcome::Cancelled);
}

/// A refusal stops no branch that cleans up.
#[tokio::test]
async fn what_cleans_up_beside_a_refused_step_runs_in_either_order() {
    #[durable_workflow(goal = "book")]
    async fn beside(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[read(key = "check")]
        world.check()?;
        let books = async {
            #[side_effect(key = "hotel", in_doubt = "office")]
            world.act("hotel")?;
            anyhow::Ok(())
        };
        let refunds = async {
            tokio::task::yield_now().await;
            if session.is_cancelled() {
                #[side_effect(key = "refund", cleanup, in_doubt = "office")]
                world.act("refund")?;
            }
            anyhow::Ok(())
        };
        let (booked, refunded) = tokio::join!(books, refunds);
        refunded?;
        booked
    }
    let (store, world) = (MemoryStore::new(), breaking());
    beside(&open(&store).await, &world).await.unwrap_err();
    cancel(&store, "beside").await;
    world.is_down.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        assert_eq!(life(&store, async |session| beside(session, &world).await).await, Outcome::Cancelled);
        assert_eq!(world.happened(), ["refund"]);
    }
    assert!(handoff(&store).await.contains("NOTHING is left to do"), "{}", handoff(&store).await);
}

#[durable_workflow(goal = "book")]
async fn refunds(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
    if session.is_cancelled() {
        #[side_effect(key = "refund", cleanup, verify = world.has("refund"), settle = "0s")]
        refund(world)?;
        return Ok(1);
    }
    #[read(key = "check")]
    world.check()?;
    Ok(2)
}

fn refund(world: &World) -> anyhow::Result<()> {
    world.check()?;
    Ok(world.act("refund")?)
}

/// The run has a result, and it is not the one that was asked for.
#[tokio::test]
async fn a_run_that_has_cleaned_up_is_told_as_cancelled_too() {
    let (store, world) = (MemoryStore::new(), breaking());
    refunds(&open(&store).await, &world).await.unwrap_err();
    cancel(&store, "refunds").await;
    let failed = life(&store, async |session| refunds(session, &world).await).await;
    assert_eq!(failed, Outcome::Stopped, "to clean up has failed, and is tried again");
    assert!(handoff(&store).await.contains("FIX the cause of the error above"), "{}", handoff(&store).await);
    world.is_down.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        assert_eq!(life(&store, async |session| refunds(session, &world).await).await, Outcome::Cancelled);
        assert!(handoff(&store).await.contains("Finished the cancelled run `refunds`"), "{}", handoff(&store).await);
    }
    assert_eq!(world.happened(), ["refund"]);
}

/// The error of a body that was given up is how it ends; not so before everything that cleans up was reached.
#[tokio::test]
async fn a_body_that_fails_because_it_was_given_up_ends_as_cancelled() {
    #[durable_workflow(goal = "book")]
    async fn leaves(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        anyhow::ensure!(!session.is_cancelled(), "given up");
        #[read(key = "check")]
        world.check()?;
        Ok(())
    }
    #[durable_workflow(goal = "book")]
    async fn fails(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[read(key = "look")]
        let _looked = world.has("nothing");
        world.check()?;
        if session.is_cancelled() {
            #[side_effect(key = "refund", cleanup, in_doubt = "office")]
            world.act("refund")?;
            anyhow::bail!("given up");
        }
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), breaking());
    leaves(&open(&store).await, &world).await.unwrap_err();
    cancel(&store, "leaves").await;
    assert_eq!(life(&store, async |session| leaves(session, &world).await).await, Outcome::Cancelled);

    let store = MemoryStore::new();
    fails(&open(&store).await, &world).await.unwrap_err();
    cancel(&store, "fails").await;
    assert_eq!(life(&store, async |session| fails(session, &world).await).await, Outcome::Stopped);
    world.is_down.store(false, Ordering::Relaxed);
    assert_eq!(life(&store, async |session| fails(session, &world).await).await, Outcome::Cancelled);
    assert_eq!(world.happened(), ["refund"]);
}

#[durable_workflow]
async fn send(session: &Session, #[resource] world: &World, name: &str) -> anyhow::Result<u32> {
    #[read(key = "check")]
    world.check()?;
    #[side_effect(key = "mail" as mail, in_doubt = "office")]
    world.act(mail.as_str())?;
    let _ = name;
    Ok(1)
}

/// What is for later comes no more: a sum without it is no result.
#[tokio::test]
async fn a_run_whose_later_runs_were_given_up_with_it_has_no_result() {
    #[durable_workflow(goal = "send")]
    async fn all(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        let mut sent = 0;
        for name in ["ada", "bob"] {
            #[run(key = "to/{name}", errors = "later")]
            let one = send(session, world, name).await;
            sent += one.unwrap_or_default();
        }
        if session.is_cancelled() {
            #[side_effect(key = "sorry", cleanup, in_doubt = "office")]
            world.act("sorry")?;
        }
        Ok(sent)
    }
    let (store, world) = (MemoryStore::new(), breaking());
    all(&open(&store).await, &world).await.unwrap_err();
    cancel(&store, "all").await;
    world.is_down.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        assert_eq!(life(&store, async |session| all(session, &world).await).await, Outcome::Cancelled);
        let handoff = handoff(&store).await;
        assert!(handoff.contains("NOTHING is left to do") && handoff.contains("Goal: send."), "{handoff}");
    }
    assert_eq!(world.happened(), ["sorry"]);
    assert!(!store.records().iter().any(|record| matches!(record.event, Event::End(_))), "it has no result");
}

/// The run around it needs a result that never comes: that is no success, and no error that another start mends.
#[tokio::test]
async fn the_run_around_one_that_was_given_up_says_what_to_do() {
    #[durable_workflow(goal = "send")]
    async fn around(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[run(key = "to/ada")]
        let one = send(session, world, "ada").await?;
        #[side_effect(key = "tell", in_doubt = "office")]
        world.act("tell")?;
        Ok(one)
    }
    let (store, world) = (MemoryStore::new(), breaking());
    around(&open(&store).await, &world).await.unwrap_err();
    cancel(&store, "around//to/ada").await;
    world.is_down.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        assert_eq!(life(&store, async |session| around(session, &world).await).await, Outcome::Cancelled);
        let handoff = handoff(&store).await;
        let wanted = ["Error at `around//to/ada`", "only because of that `around` goes no further"];
        assert!(wanted.iter().all(|words| handoff.contains(words)), "{handoff}");
        let way_out =
            "1. GIVE UP `around` too, typed in this directory: `durable cancel around --by WHO --because WHY`, for it";
        assert!(handoff.contains(way_out) && !handoff.contains("FIX"), "{handoff}");
    }
    assert_eq!(world.happened(), [""; 0]);
}

/// Nobody sends the token once more, so nobody but a person knows.
#[tokio::test]
async fn what_would_have_been_repeated_is_asked_about() {
    #[durable_workflow(goal = "book")]
    async fn repeats(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "pay" as pay, idempotent, in_doubt = "treasury")]
        world.pay_and_fail(pay)?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), World::default());
    repeats(&open(&store).await, &world).await.unwrap_err();
    cancel(&store, "repeats").await;
    assert!(handoff(&store).await.contains("ASK treasury"), "{}", handoff(&store).await);
    for _ in 0..2 {
        assert_eq!(life(&store, async |session| repeats(session, &world).await).await, Outcome::InDoubt);
        assert_eq!(world.happened().len(), 1);
    }
    let session = open(&store).await;
    session.resolve("repeats//pay").did_not_happen().by("treasury", "not in the books").await.unwrap();
    drop(session);
    assert_eq!(life(&store, async |session| repeats(session, &world).await).await, Outcome::Cancelled);
    assert_eq!(world.happened().len(), 1);
}

/// A doubt that the code does not come to any more is known to a person alone.
#[tokio::test]
async fn a_doubt_behind_a_refused_step_is_told_and_can_be_answered() {
    #[durable_workflow(goal = "book")]
    async fn turns(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        if session.is_cancelled() {
            #[side_effect(key = "other", in_doubt = "office")]
            world.act("other")?;
        }
        #[side_effect(key = "pay" as pay, verify = durable_runtime::Verdict::<()>::Unknown("no books".into()))]
        world.pay_and_fail(pay)?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), World::default());
    turns(&open(&store).await, &world).await.unwrap_err();
    cancel(&store, "turns").await;
    assert_eq!(life(&store, async |session| turns(session, &world).await).await, Outcome::InDoubt);
    let session = open(&store).await;
    session.resolve("turns//pay").happened(&()).by("ada", "it is in the books").await.unwrap();
    drop(session);
    assert_eq!(life(&store, async |session| turns(session, &world).await).await, Outcome::Cancelled);
    assert_eq!(world.happened().len(), 1);
}

/// Nothing is made after the wait, so nobody waits.
#[tokio::test]
async fn no_time_before_another_attempt_is_waited_for() {
    #[durable_workflow(goal = "book")]
    async fn retries(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(
            key = "pay",
            in_doubt = "office",
            classify = |_: &std::io::Error| durable_runtime::Failure::retry_after(std::time::Duration::from_secs(86_400)),
        )]
        world.check()?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), breaking());
    assert_eq!(life(&store, async |session| retries(session, &world).await).await, Outcome::Stopped);
    cancel(&store, "retries").await;
    assert_eq!(life(&store, async |session| retries(session, &world).await).await, Outcome::Cancelled);
}

#[durable_workflow(goal = "book")]
async fn asks(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
    if session.is_cancelled() {
        #[side_effect(key = "refund", cleanup, in_doubt = "office")]
        world.act("refund")?;
        return Ok(0);
    }
    #[side_effect(key = "flight", in_doubt = "office")]
    world.act("flight")?;
    #[decision(key = "agree", ask = "ada")]
    let agreed: bool = session.decide().await?;
    Ok(u32::from(agreed))
}

/// Gives `run` up as soon as its code waits.
async fn given_up_in_the_middle(session: &Session, run: &str) {
    while !session.handoff().to_string().contains("ASK ada") {
        tokio::task::yield_now().await;
    }
    session.cancel(run).by("bob", "nobody answers").await.unwrap();
}

/// The place where it cleans up was passed before: what happened would stay, and nobody would start it again.
#[tokio::test(start_paused = true)]
async fn a_run_that_was_given_up_in_the_middle_is_started_again_to_clean_up() {
    let (store, world) = (MemoryStore::new(), World::default());
    let first =
        life(&store, async |session| tokio::join!(asks(session, &world), given_up_in_the_middle(session, "asks")).0);
    assert_eq!(first.await, Outcome::Stopped);
    let left = handoff(&store).await;
    assert!(left.contains("cleans up in `asks`") && !left.contains("NOTHING is left to do"), "{left}");
    for _ in 0..2 {
        assert_eq!(life(&store, async |session| asks(session, &world).await).await, Outcome::Cancelled);
        assert_eq!(world.happened(), ["flight", "refund"]);
    }
}

/// Nor is the run around it finished before.
#[tokio::test(start_paused = true)]
async fn a_later_run_that_was_given_up_in_the_middle_is_waited_for_until_it_has_cleaned_up() {
    #[durable_workflow(goal = "book")]
    async fn around(session: &Session, #[resource] world: &World) -> anyhow::Result<bool> {
        #[run(key = "in", errors = "later")]
        let inner = asks(session, world).await;
        Ok(inner.is_some())
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let first = Session::builder("memory")
        .store(store.clone())
        .run(async |session| tokio::join!(around(session, &world), given_up_in_the_middle(session, "around//in")).0);
    assert_eq!(first.await, Outcome::Stopped);
    assert_eq!(world.happened(), ["flight"]);
    for _ in 0..2 {
        assert_eq!(life(&store, async |session| around(session, &world).await).await, Outcome::Finished);
        assert_eq!(world.happened(), ["flight", "refund"]);
    }
}
