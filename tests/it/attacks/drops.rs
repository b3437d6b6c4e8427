//! Futures that are dropped in the middle, by a timeout, a `select!` or a panic: their run stops, and the path that would
//! be taken without them is not.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use futures_util::FutureExt;

use super::world::{World, hang_if, killed, open};

#[tokio::test(start_paused = true)]
async fn a_step_dropped_while_it_is_verified_does_not_lead_to_another_path() {
    #[durable_workflow(goal = "pay once", nondeterminism = "allow")]
    async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        let card = tokio::time::timeout(Duration::from_secs(1), async {
            #[side_effect(key = "card", verify = std::future::pending::<Option<u32>>().await)]
            let paid = world.act_unheard("card")?;
            anyhow::Ok(paid)
        });
        if let Ok(paid) = card.await {
            return paid;
        }
        #[side_effect(key = "cash", in_doubt = "treasury")]
        let paid = world.act("cash")?;
        Ok(paid)
    }
    let world = World::default();
    let error = pay(&open(&MemoryStore::new()).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("`pay//cash` was refused") && error.contains("dropped before it ended"), "{error}");
    assert_eq!(world.acts(), ["card"]);
}

#[tokio::test(start_paused = true)]
async fn a_step_dropped_while_it_is_recorded_does_not_lead_to_another_path() {
    #[durable_workflow(goal = "pay once", nondeterminism = "allow")]
    async fn pay(session: &Session, #[resource] world: &World, #[resource] is_dropped: bool) -> anyhow::Result<u32> {
        let card = async {
            #[side_effect(key = "card", verify = world.find("card"), settle = "0s")]
            let paid = world.act("card")?;
            anyhow::Ok(paid)
        };
        let paid = tokio::select! {
            biased;
            paid = card => Some(paid?),
            () = world.until("card"), if is_dropped => None,
        };
        if let Some(paid) = paid {
            return Ok(paid);
        }
        #[side_effect(key = "cash", in_doubt = "treasury")]
        let paid = world.act("cash")?;
        Ok(paid)
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let error = pay(&open(&store).await, &world, true).await.unwrap_err().to_string();
    assert!(error.contains("`pay//cash` was refused") && error.contains("dropped before it ended"), "{error}");
    assert_eq!(pay(&open(&store).await, &world, false).await.unwrap(), 1);
    assert_eq!(world.acts(), ["card"]);
}

/// `a` stops the run while the verifier of `b` is asked, which then says that nothing happened.
#[tokio::test(start_paused = true)]
async fn no_new_attempt_starts_in_a_run_that_stopped_meanwhile() {
    #[durable_workflow(goal = "do both")]
    async fn both(session: &Session, #[resource] world: &World, #[resource] is_first: bool) -> anyhow::Result<u32> {
        let a = async {
            hang_if(is_first).await;
            #[side_effect(key = "a", in_doubt = "treasury")]
            let a = world.act_unheard("a")?;
            anyhow::Ok(a)
        };
        let b = async {
            #[side_effect(key = "b", verify = { world.until("a").await; None::<u32> }, settle = "0s")]
            let b = {
                let b = world.act("b")?;
                hang_if(is_first).await;
                anyhow::Ok(b)
            }?;
            anyhow::Ok(b)
        };
        let (a, b) = tokio::join!(a, b);
        let b = b.unwrap_err().to_string();
        assert!(b.contains("`both//b` was refused") && b.contains("at `both//a`"), "{b}");
        a
    }
    let (store, world) = (MemoryStore::new(), World::default());
    killed(both(&open(&store).await, &world, true)).await;
    assert_eq!(world.acts(), ["b"]);
    both(&open(&store).await, &world, false).await.unwrap_err();
    assert_eq!(world.acts(), ["b", "a"]);
}

#[tokio::test(start_paused = true)]
async fn a_verifier_that_panics_does_not_lead_to_another_path() {
    #[durable_workflow(goal = "pay once", nondeterminism = "allow")]
    async fn pay(session: &Session, #[resource] world: &World, #[resource] is_first: bool) -> anyhow::Result<u32> {
        let card = AssertUnwindSafe(async {
            #[side_effect(key = "card", verify = falls_over(), settle = "0s")]
            let paid = {
                let paid = world.act("card")?;
                hang_if(is_first).await;
                anyhow::Ok(paid)
            }?;
            anyhow::Ok(paid)
        });
        if let Ok(paid) = card.catch_unwind().await {
            return paid;
        }
        #[side_effect(key = "cash", in_doubt = "treasury")]
        let paid = world.act("cash")?;
        Ok(paid)
    }
    fn falls_over() -> Option<u32> {
        panic!("the verifier fell over")
    }
    let (store, world) = (MemoryStore::new(), World::default());
    killed(pay(&open(&store).await, &world, true)).await;
    let error = pay(&open(&store).await, &world, false).await.unwrap_err().to_string();
    assert!(error.contains("`pay//cash` was refused"), "{error}");
    assert_eq!(world.acts(), ["card"]);
}

#[tokio::test(start_paused = true)]
async fn a_parent_does_not_finish_around_a_child_that_was_dropped_between_its_steps() {
    #[durable_workflow]
    async fn transfer(session: &Session, #[resource] world: &World, #[resource] is_first: bool) -> anyhow::Result<u32> {
        #[side_effect(key = "debit", verify = world.find("debit"), settle = "0s")]
        let debit = world.act("debit")?;
        hang_if(is_first).await;
        #[side_effect(key = "credit", verify = world.find("credit"), settle = "0s")]
        let credit = world.act("credit")?;
        Ok(debit + credit)
    }
    #[durable_workflow(goal = "move money", nondeterminism = "allow")]
    async fn parent(session: &Session, #[resource] world: &World, #[resource] is_first: bool) -> anyhow::Result<bool> {
        let child = tokio::time::timeout(Duration::from_secs(1), transfer(session, world, is_first)).await;
        Ok(child.is_ok())
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let error = parent(&open(&store).await, &world, true).await.unwrap_err().to_string();
    assert!(error.contains("`parent//transfer`") && error.contains("dropped before it ended"), "{error}");
    assert!(parent(&open(&store).await, &world, false).await.unwrap());
    assert_eq!(world.acts(), ["debit", "credit"]);
}

#[tokio::test(start_paused = true)]
async fn a_parent_does_not_finish_around_a_child_that_still_runs() {
    #[durable_workflow]
    async fn child(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = world.find("pay"), settle = "0s")]
        let paid = {
            let paid = world.act("pay")?;
            hang_if(true).await;
            anyhow::Ok(paid)
        }?;
        Ok(paid)
    }
    #[durable_workflow(goal = "pay", nondeterminism = "allow")]
    async fn parent(session: &Session, #[resource] world: &Arc<World>) -> anyhow::Result<()> {
        let (inner, its) = (session.clone(), Arc::clone(world));
        tokio::spawn(async move { child(&inner, &its).await });
        world.until("pay").await;
        Ok(())
    }
    let error = parent(&open(&MemoryStore::new()).await, &Arc::default()).await.unwrap_err().to_string();
    assert!(error.contains("run `parent` cannot finish") && error.contains("`parent//child"), "{error}");
}

/// A time limit around a step drops it; the step has one of its own.
#[tokio::test(start_paused = true)]
async fn a_step_or_a_decision_that_was_dropped_says_how_its_time_is_limited() {
    #[durable_workflow(goal = "pay", nondeterminism = "allow")]
    async fn pays(session: &Session, #[resource] world: &World, decides: bool) -> anyhow::Result<u32> {
        let step = async {
            if decides {
                #[decision(key = "agree")]
                let agreed: u32 = session.decide().await?;
                return anyhow::Ok(agreed);
            }
            #[side_effect(key = "pay", verify = world.find("pay"))]
            let paid = {
                hang_if(true).await;
                world.act("pay")
            }?;
            anyhow::Ok(paid)
        };
        let limited = tokio::time::timeout(Duration::from_secs(3), step).await;
        limited.unwrap_or(Ok(0))
    }
    for (decides, way) in [(false, "write `timeout = \"30s\"`"), (true, "write `expires = \"24h\"`")] {
        let error = pays(&open(&MemoryStore::new()).await, &World::default(), decides).await.unwrap_err().to_string();
        assert!(error.contains("was dropped before it ended") && error.contains(way), "{error}");
    }
}
