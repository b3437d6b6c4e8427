//! `errors = "later"`: a run that fails does not stop the one that calls, which then does not finish.

use std::sync::atomic::Ordering;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::{World, open};

#[durable_workflow]
async fn send(session: &Session, #[resource] world: &World, name: &str) -> anyhow::Result<u32> {
    #[side_effect(key = "mail" as mail, in_doubt = "office")]
    world.act(mail.as_str())?;
    if name == "bob" {
        #[read(key = "check")]
        world.check()?;
    }
    #[side_effect(key = "note" as note, in_doubt = "office")]
    world.act(note.as_str())?;
    Ok(1)
}

#[durable_workflow(goal = "send")]
async fn all(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
    let mut sent = 0;
    for name in ["ada", "bob", "cid"] {
        #[run(key = "to/{name}", errors = "later")]
        let one = send(session, world, name).await;
        sent += one.unwrap_or_default();
    }
    Ok(sent)
}

fn down() -> World {
    World { is_down: true.into(), ..World::default() }
}

/// The letter leads with what went wrong, where that stands, and its own words; and names what goes no further for it.
#[track_caller]
fn tells_first(session: &Session, key: &str, then: &str) {
    let letter = session.handoff().to_string();
    let line = letter.lines().skip_while(|line| *line != "## What just happened").nth(1).unwrap();
    let (before, after) = line.split_once(".rs:").unwrap();
    assert!(before.starts_with(&format!("- Error at `{key}` (`")), "{letter}");
    let follows = format!("`): `the world is down`; only because of that `{then}` goes no further");
    assert!(after.trim_start_matches(char::is_numeric) == follows, "{letter}");
}

#[tokio::test]
async fn one_that_fails_is_not_in_the_way_of_the_others_and_is_tried_again() {
    let (store, world) = (MemoryStore::new(), down());
    let session = open(&store).await;
    let error = all(&session, &world).await.unwrap_err().to_string();
    assert!(error.contains("run `all` is incomplete"), "{error}");
    assert!(error.starts_with("a run with `errors = \"later\"` has failed at `all//to/bob//check`"), "{error}");
    tells_first(&session, "all//to/bob//check", "all");
    drop(session);
    let half = ["ada//mail", "ada//note", "bob//mail", "cid//mail", "cid//note"].map(|key| format!("all//to/{key}"));
    assert_eq!(world.happened(), half);
    world.is_down.store(false, Ordering::Relaxed);
    assert_eq!(all(&open(&store).await, &world).await.unwrap(), 3);
    assert_eq!(world.happened()[half.len()..], ["all//to/bob//note"], "only what failed is tried again");
}

/// What goes on from a `None` would go another way in the next start.
#[tokio::test]
async fn nothing_else_is_begun_once_one_has_failed() {
    #[durable_workflow(goal = "send")]
    async fn work(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[run(key = "to/bob", errors = "later")]
        let bob = send(session, world, "bob").await;
        let _ = step(session, world, bob.is_some()).await;
        Ok(1)
    }
    #[durable_workflow]
    async fn step(session: &Session, #[resource] world: &World, sent: bool) -> anyhow::Result<()> {
        #[side_effect(key = "tell/{sent}" as tell, in_doubt = "office")]
        world.act(tell.as_str())?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), down());
    let session = open(&store).await;
    work(&session, &world).await.unwrap_err();
    assert_eq!(world.happened(), ["work//to/bob//mail"]);
    tells_first(&session, "work//to/bob//check", "work");
    drop(session);
    world.is_down.store(false, Ordering::Relaxed);
    work(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened()[1..], ["work//to/bob//note", "work//step//tell/true"]);
}

#[tokio::test]
async fn one_that_waits_for_a_person_does_not_stop_the_others() {
    #[durable_workflow]
    async fn doubtful(session: &Session, #[resource] world: &World, name: &str) -> anyhow::Result<()> {
        #[side_effect(key = "pay/{name}" as pay, in_doubt = "treasury")]
        pay_or_not(world, pay, name)?;
        Ok(())
    }
    fn pay_or_not(world: &World, key: &durable_runtime::StepKey, name: &str) -> anyhow::Result<()> {
        if name == "ada" { world.pay_and_fail(key) } else { Ok(world.act(key.as_str())?) }
    }
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<usize> {
        let mut paid = 0;
        for name in ["ada", "bob"] {
            #[run(key = "to/{name}", errors = "later")]
            let one = doubtful(session, world, name).await;
            paid += one.iter().count();
        }
        Ok(paid)
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let session = open(&store).await;
    pay(&session, &world).await.unwrap_err();
    assert_eq!(world.happened()[1..], ["pay//to/bob//pay/bob"]);
    session.resolve("pay//to/ada//pay/ada").happened(&()).by("treasury", "it is booked").await.unwrap();
    drop(session);
    assert_eq!(pay(&open(&store).await, &world).await.unwrap(), 2);
    assert_eq!(world.happened().len(), 2);
}

/// G39: a call that is dropped leaves its run where nobody knows.
#[tokio::test]
async fn one_that_is_dropped_is_for_later_too() {
    #[durable_workflow]
    async fn waits(session: &Session) -> anyhow::Result<u32> {
        #[read(key = "for-ever")]
        let never = std::future::pending::<u32>().await;
        Ok(never)
    }
    #[durable_workflow(goal = "work")]
    async fn work(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        let call = async {
            #[run(key = "wait", errors = "later")]
            let waited = waits(session).await;
            anyhow::Ok(waited)
        };
        tokio::select! {
            biased;
            _ = call => {}
            () = std::future::ready(()) => {}
        }
        #[side_effect(key = "on", in_doubt = "office")]
        world.act("on")?;
        Ok(())
    }
    let world = World::default();
    let error = work(&open(&MemoryStore::new()).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("its call was dropped"), "{error}");
    assert_eq!(world.happened(), [""; 0]);
}
