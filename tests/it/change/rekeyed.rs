//! Runs that have other keys now, and do not say so: what they did is never done again unseen.

use std::sync::atomic::Ordering;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::{World, breaking, open};

/// A workflow that does one thing, and then fails while the world is down; and one that calls it.
macro_rules! workflows {
    ($name:ident, $to:ident: $($key:tt)*) => {
        pub(super) mod $name {
            use super::*;

            #[durable_workflow($($key)* goal = "mail")]
            pub(super) async fn mail(session: &Session, #[resource] world: &World, $to: u32) -> anyhow::Result<()> {
                #[side_effect(key = "send" as send, in_doubt = "office")]
                world.act(send.as_str())?;
                #[read(key = "check")]
                world.check()?;
                anyhow::ensure!($to > 0, "nobody");
                Ok(())
            }

            #[durable_workflow($($key)* goal = "write")]
            pub(super) async fn write(session: &Session, #[resource] world: &World, $to: u32) -> anyhow::Result<()> {
                #[side_effect(key = "send" as send, in_doubt = "office")]
                world.act(send.as_str())?;
                anyhow::ensure!($to > 0, "nobody");
                Ok(())
            }

            #[durable_workflow(goal = "call")]
            pub(super) async fn call(session: &Session, #[resource] world: &World, $to: u32) -> anyhow::Result<()> {
                write(session, world, $to).await?;
                #[read(key = "check")]
                world.check()?;
                Ok(())
            }
        }
    };
}

workflows!(plain, to:);
workflows!(keyed, to: key = "mail/{to}",);
workflows!(told, to: key = "mail/{to}", formerly = ["mail", "write"],);

#[tokio::test]
async fn an_unfinished_run_whose_key_has_another_template_now_is_not_begun_anew() {
    let (store, world) = (MemoryStore::new(), breaking());
    plain::mail(&open(&store).await, &world, 7).await.unwrap_err();
    let error = keyed::mail(&open(&store).await, &world, 7).await.unwrap_err().to_string();
    assert!(error.contains("run `mail` of workflow `mail` is unfinished"), "{error}");
    assert!(error.contains("write `formerly = [\"mail\"]` on it"), "{error}");
    assert_eq!(world.happened(), ["mail//send"]);
    world.is_down.store(false, Ordering::Relaxed);
    told::mail(&open(&store).await, &world, 7).await.unwrap();
    assert_eq!(world.happened(), ["mail//send"]);
}

#[tokio::test]
async fn a_finished_run_leaves_its_workflow_free_to_have_another_key() {
    let (store, world) = (MemoryStore::new(), World::default());
    plain::mail(&open(&store).await, &world, 7).await.unwrap();
    keyed::mail(&open(&store).await, &world, 8).await.unwrap();
    assert_eq!(world.happened(), ["mail//send", "mail/8//send"]);
}

#[tokio::test]
async fn a_called_run_whose_key_has_another_template_now_is_not_begun_anew() {
    let (store, world) = (MemoryStore::new(), breaking());
    plain::call(&open(&store).await, &world, 7).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let error = keyed::call(&open(&store).await, &world, 7).await.unwrap_err().to_string();
    assert!(error.contains("`write` has run here as `call//write`"), "{error}");
    assert!(error.contains("write `formerly = [\"write\"]` on it"), "{error}");
    assert_eq!(world.happened(), ["call//write//send"]);
    told::call(&open(&store).await, &world, 7).await.unwrap();
    assert_eq!(world.happened(), ["call//write//send"]);
}

/// G18, for runs: the name comes from something that is different in each start.
#[tokio::test]
async fn a_run_that_does_not_reach_the_runs_that_it_recorded_does_not_finish() {
    #[durable_workflow(goal = "call")]
    async fn named(session: &Session, #[resource] world: &World, #[resource] minute: u32) -> anyhow::Result<()> {
        let minute = minute.to_string();
        #[run(key = "mail/{minute}")]
        plain::write(session, world, 7).await?;
        #[read(key = "check")]
        world.check()?;
        Ok(())
    }
    #[durable_workflow(goal = "call")]
    async fn keyed(session: &Session, #[resource] world: &World, #[resource] minute: u32) -> anyhow::Result<()> {
        super::rekeyed::keyed::write(session, world, minute).await?;
        #[read(key = "check")]
        world.check()?;
        Ok(())
    }
    let (store, other, world) = (MemoryStore::new(), MemoryStore::new(), breaking());
    named(&open(&store).await, &world, 1).await.unwrap_err();
    keyed(&open(&other).await, &world, 1).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    for (error, run) in [
        (named(&open(&store).await, &world, 2).await.unwrap_err(), "named"),
        (keyed(&open(&other).await, &world, 2).await.unwrap_err(), "keyed"),
    ] {
        let text = error.to_string();
        assert!(text.contains(&format!("without reaching the run `{run}//mail/1`")), "{text}");
    }
    named(&open(&store).await, &world, 1).await.unwrap_err();
    assert_eq!(world.happened().len(), 4);
}

#[tokio::test]
async fn a_called_workflow_of_another_name_that_does_not_say_so_is_not_begun() {
    #[durable_workflow]
    async fn deliver(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "send" as send, in_doubt = "office")]
        world.act(send.as_str())?;
        Ok(())
    }
    #[durable_workflow(goal = "call")]
    async fn call(session: &Session, #[resource] world: &World, to: u32) -> anyhow::Result<()> {
        deliver(session, world).await?;
        #[read(key = "check")]
        world.check()?;
        anyhow::ensure!(to > 0, "nobody");
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), breaking());
    plain::call(&open(&store).await, &world, 7).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let error = call(&open(&store).await, &world, 7).await.unwrap_err().to_string();
    assert!(error.contains("run `call//write` of workflow `write` is recorded"), "{error}");
    assert_eq!(world.happened(), ["call//write//send"]);
}
