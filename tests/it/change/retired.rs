//! Steps that are gone from the code: said so, and never a doubt.

use std::sync::atomic::Ordering;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::{World, breaking, keys, open};

mod before {
    use super::*;

    #[durable_workflow(key = "order", goal = "order")]
    pub(super) async fn order(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        for n in 1..=2 {
            #[side_effect(key = "book/{n}", verify = world.has(&format!("book {n}")), settle = "0s")]
            world.act(&format!("book {n}"))?;
        }
        #[run(key = "greet")]
        greet(session, world).await?;
        #[read(key = "check")]
        world.check()?;
        Ok(())
    }

    #[durable_workflow]
    async fn greet(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "mail", in_doubt = "office")]
        world.act("mail")?;
        world.check()?;
        Ok(())
    }
}

mod after {
    use super::*;

    #[durable_workflow(key = "order", goal = "order", retired = ["book/{}", "greet"])]
    pub(super) async fn order(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "ship", verify = world.has("ship"), settle = "0s")]
        world.act("ship")?;
        Ok(())
    }

    #[durable_workflow(key = "order", goal = "order", retired = ["book/{}"])]
    pub(super) async fn order_still_greeting(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "ship", verify = world.has("ship"), settle = "0s")]
        world.act("ship")?;
        Ok(())
    }
}

/// Everything that is gone was done, so nothing of it is looked for.
#[tokio::test]
async fn retired_steps_and_runs_that_are_done_are_left_behind() {
    let (store, world) = (MemoryStore::new(), breaking());
    before::order(&open(&store).await, &world).await.unwrap_err();
    assert_eq!(world.happened(), ["book 1", "book 2", "mail"]);
    after::order(&open(&store).await, &world).await.unwrap();
    assert_eq!(world.happened(), ["book 1", "book 2", "mail", "ship"]);
}

#[tokio::test]
async fn what_is_gone_and_not_retired_is_named_with_every_way_out() {
    let (store, world) = (MemoryStore::new(), breaking());
    before::order(&open(&store).await, &world).await.unwrap_err();
    mod v2 {
        use super::*;

        #[durable_workflow(key = "order", goal = "order", retired = ["greet", "check"])]
        pub(super) async fn order(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            Ok(world.act("ship")?)
        }
    }
    let error = v2::order(&open(&store).await, &world).await.unwrap_err().to_string();
    for text in ["step `order//book/1`, `order//book/2`", "formerly = [\"book/{}\"]", "retired = [\"book/{}\"]"] {
        assert!(error.contains(text), "{text}: {error}");
    }
    mod v3 {
        use super::*;

        #[durable_workflow(key = "order", goal = "order", retired = ["book/{}", "check"])]
        pub(super) async fn order(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            Ok(world.act("ship")?)
        }
    }
    let error = v3::order(&open(&store).await, &world).await.unwrap_err().to_string();
    for text in ["run `order//greet`", "formerly = [\"greet\"]", "retired = [\"greet\"]"] {
        assert!(error.contains(text), "{text}: {error}");
    }
    assert_eq!(world.happened(), ["book 1", "book 2", "mail"]);
}

#[tokio::test]
async fn all_that_is_gone_is_named_at_once() {
    mod full {
        use super::*;

        #[durable_workflow(goal = "ship")]
        pub(super) async fn ship(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[side_effect(key = "book", verify = world.has("book"), settle = "0s")]
            world.act("book")?;
            #[side_effect(key = "pack", verify = world.has("pack"), settle = "0s")]
            world.act("pack")?;
            Ok(world.check()?)
        }
    }
    mod bare {
        use super::*;

        #[durable_workflow(goal = "ship")]
        pub(super) async fn ship(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            Ok(world.act("ship")?)
        }
    }
    let (store, world) = (MemoryStore::new(), breaking());
    full::ship(&open(&store).await, &world).await.unwrap_err();
    let error = bare::ship(&open(&store).await, &world).await.unwrap_err().to_string();
    for text in ["step `ship//book`, `ship//pack`", "formerly = [\"book\"]", "; so too with `pack`"] {
        assert!(error.contains(text), "{text}: {error}");
    }
    assert_eq!(world.happened(), ["book", "pack"]);
}

mod doubtful {
    use super::*;

    #[durable_workflow(key = "order", goal = "order")]
    pub(super) async fn order(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[side_effect(key = "book" as book, in_doubt = "office")]
        world.pay_and_fail(book)?;
        Ok(1)
    }
}

mod without {
    use super::*;

    #[durable_workflow(key = "order", goal = "order", retired = ["book"])]
    pub(super) async fn order(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[side_effect(key = "ship", in_doubt = "office")]
        world.act("ship")?;
        Ok(2)
    }
}

#[tokio::test]
async fn a_retired_step_in_doubt_is_asked_about_before_anything_else_runs() {
    for happened in [true, false] {
        let (store, world) = (MemoryStore::new(), World::default());
        doubtful::order(&open(&store).await, &world).await.unwrap_err();
        let session = open(&store).await;
        let error = without::order(&session, &world).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("`order//book` of it is retired") && text.contains("session.resolve"), "{text}");
        assert!(session.handoff().to_string().contains("ASK office"), "{}", session.handoff());
        assert_eq!(world.happened().len(), 1, "nothing new has begun");
        drop(session);

        let session = open(&store).await;
        let question = session.resolve("order//book");
        let answer = if happened { question.happened(&()) } else { question.did_not_happen() };
        answer.by("ada", "I looked").await.unwrap();
        drop(session);
        assert_eq!(without::order(&open(&store).await, &world).await.unwrap(), 2);
        assert_eq!(world.happened()[1..], ["ship"]);
        assert_eq!(keys(&store, "done").contains(&"order//book 1".to_owned()), happened);
    }
}

/// G19: with another key for the same thing the step is not in the code any more, whatever else is.
#[tokio::test]
async fn a_retired_key_is_not_reached_by_what_stands_in_its_place() {
    let (store, world) = (MemoryStore::new(), breaking());
    before::order(&open(&store).await, &world).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let error = after::order_still_greeting(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("belongs to workflow `order`"), "{error}");
}

#[tokio::test]
async fn a_retired_wait_is_nothing_to_wait_for_once_its_run_has_finished() {
    mod old {
        use super::*;

        #[durable_workflow(goal = "rest")]
        pub(super) async fn rest(session: &Session) -> anyhow::Result<()> {
            #[decision(key = "wake", ask = "mother")]
            session.decide::<()>().await?;
            Ok(())
        }
    }
    #[durable_workflow(goal = "rest", retired = ["wake"])]
    async fn rest(session: &Session) -> anyhow::Result<()> {
        Ok(())
    }
    let store = MemoryStore::new();
    let builder = Session::builder("memory").store(store.clone()).waits(durable_runtime::Waits::Exit);
    old::rest(&builder.open().await.unwrap()).await.unwrap_err();
    let session = open(&store).await;
    rest(&session).await.unwrap();
    assert!(!session.handoff().to_string().contains("mother"), "{}", session.handoff());
}
