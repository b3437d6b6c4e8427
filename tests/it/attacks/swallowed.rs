//! A doubt whose error is swallowed: whoever meets what came of that is told of the doubt, and how it ends.

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::{Error, Outcome};

use super::world::{World, hang_if, open};

#[durable_workflow]
async fn wire(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
    #[side_effect(key = "pay", in_doubt = "treasury")]
    let paid = world.act_unheard("pay")?;
    Ok(paid)
}

/// Pays by wire, or else sends a cheque; or only says that it could not.
#[durable_workflow(goal = "pay")]
async fn pay(session: &Session, #[resource] world: &World, tells: bool) -> anyhow::Result<String> {
    let wired = wire(session, world).await;
    if wired.is_err() && !tells {
        #[side_effect(key = "cheque", in_doubt = "treasury")]
        world.act("cheque")?;
    }
    Ok(wired.map_or_else(|error| error.to_string(), |paid| format!("paid {paid}")))
}

/// What an error says of a doubt about this step, which only a person can end.
fn tells_doubt(error: &anyhow::Error, key: &str) {
    let (text, ours) = (error.to_string(), error.downcast_ref::<Error>().unwrap());
    assert!(text.contains(&format!("`{key}`")) && text.contains("is in doubt"), "{text}");
    assert!(text.contains("ask treasury") && text.contains(&format!("session.resolve(\"{key}\")")), "{text}");
    assert!(text.contains(".happened(&value)` with the `u32`") && text.contains("`.did_not_happen()`"), "{text}");
    assert!(!text.contains("start again"), "no start ends it: {text}");
    assert!(ours.is_in_doubt() && ours.key() == Some(key), "{text}");
    assert_eq!(ours.outcome(), Outcome::InDoubt);
}

#[tokio::test]
async fn a_swallowed_error_does_not_hide_that_a_step_is_in_doubt_in_this_start_or_a_later_one() {
    for tells in [false, true] {
        let (store, world) = (MemoryStore::new(), World::default());
        for _ in 0..3 {
            let error = pay(&open(&store).await, &world, tells).await.unwrap_err();
            tells_doubt(&error, "pay//wire//pay");
        }
        let session = open(&store).await;
        session.resolve("pay//wire//pay").happened(&1).by("Ann", "the bank says so").await.unwrap();
        drop(session);
        assert_eq!(pay(&open(&store).await, &world, tells).await.unwrap(), "paid 1");
        assert_eq!(world.acts(), ["pay"]);
    }
}

#[tokio::test]
async fn a_doubt_is_told_though_another_error_stopped_the_run_before_it() {
    #[durable_workflow(goal = "pay")]
    async fn both(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        let rate = async {
            #[read(key = "rate")]
            let rate = {
                world.until("pay").await;
                anyhow::Result::<u32>::Err(anyhow::anyhow!("no rate today"))
            }?;
            anyhow::Ok(rate)
        };
        let wired = async {
            #[side_effect(key = "pay", in_doubt = "treasury")]
            let paid = {
                let paid = world.act_unheard("pay");
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                paid
            }?;
            anyhow::Ok(paid)
        };
        let (rate, wired) = tokio::join!(rate, wired);
        Ok(rate.unwrap_or_default() + wired.unwrap_or_default())
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let error = both(&open(&store).await, &world).await.unwrap_err();
    tells_doubt(&error, "both//pay");
    let run = Session::builder("memory").store(MemoryStore::new());
    assert_eq!(run.run(async |session| both(session, &World::default()).await).await, Outcome::InDoubt);
}

#[tokio::test]
async fn a_run_that_is_for_later_does_not_hide_its_doubt() {
    #[durable_workflow(goal = "pay")]
    async fn pay_later(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[run(key = "one", errors = "later")]
        let paid = wire(session, world).await;
        Ok(paid.unwrap_or_default())
    }
    let (store, world) = (MemoryStore::new(), World::default());
    for _ in 0..2 {
        let error = pay_later(&open(&store).await, &world).await.unwrap_err();
        tells_doubt(&error, "pay_later//one//pay");
    }
}

/// What only a person can tell is not found out by another start.
#[tokio::test]
async fn a_step_that_was_dropped_or_panicked_and_only_a_person_knows_of_is_a_question_at_once() {
    #[durable_workflow(goal = "pay")]
    async fn left(
        session: &Session,
        #[resource] world: &World,
        panics: bool,
        #[resource] is_dropped: bool,
    ) -> anyhow::Result<u32> {
        let paid = async {
            #[side_effect(key = "pay", in_doubt = "treasury")]
            let paid = {
                let paid = world.act("pay")?;
                assert!(!panics, "a broken library");
                hang_if(true).await;
                anyhow::Ok(paid)
            }?;
            anyhow::Ok(paid)
        };
        tokio::select! {
            biased;
            paid = paid => paid,
            () = world.until("pay"), if is_dropped => Ok(0),
        }
    }
    for panics in [false, true] {
        let (store, world) = (MemoryStore::new(), World::default());
        let session = open(&store).await;
        tells_doubt(&left(&session, &world, panics, true).await.unwrap_err(), "left//pay");
        session.resolve("left//pay").happened(&1).by("Ann", "the bank says so").await.unwrap();
        drop(session);
        assert_eq!(left(&open(&store).await, &world, panics, false).await.unwrap(), 1);
        assert_eq!(world.acts(), ["pay"]);
    }
}

/// The bank is out of reach; nobody has to be asked before it was tried once more.
#[tokio::test]
async fn where_a_verifier_could_not_tell_the_next_start_comes_before_the_person() {
    #[durable_workflow(goal = "pay")]
    async fn seen(
        session: &Session,
        #[resource] world: &World,
        #[resource] bank: Result<(), &str>,
    ) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = bank.map(|()| world.find("pay")), settle = "0s")]
        let paid = world.act_unheard("pay")?;
        Ok(paid)
    }
    let (store, world) = (MemoryStore::new(), World::default());
    for _ in 0..2 {
        let session = open(&store).await;
        let error = seen(&session, &world, Err("the bank is down")).await.unwrap_err().to_string();
        let order = ["the bank is down", "start again first", "ask operator", "session.resolve(\"seen//pay\")"];
        let places: Vec<_> = order.iter().map(|text| error.find(text)).collect();
        assert!(places.is_sorted() && !places.contains(&None), "{error}");
        let letter = session.handoff().to_string();
        let next = letter.split("## Next action\n").nth(1).unwrap().lines().next().unwrap();
        let order = [
            "1. VERIFY `seen//pay`",
            "by starting the worker again",
            "ASK operator whether it happened",
            "durable resolve",
        ];
        let places: Vec<_> = order.iter().map(|text| next.find(text)).collect();
        assert!(places.is_sorted() && !places.contains(&None), "{next}");
    }
    assert_eq!(seen(&open(&store).await, &world, Ok(())).await.unwrap(), 1);
    assert_eq!(world.acts(), ["pay"]);
}
