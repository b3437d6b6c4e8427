//! Code that knows with what version a run began, and steps that it takes on.

use std::sync::atomic::Ordering;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::{World, breaking, open};

mod first {
    use super::*;

    #[durable_workflow(key = "order/{id}", goal = "order")]
    pub(super) async fn order(session: &Session, #[resource] world: &World, id: u32) -> anyhow::Result<u32> {
        #[side_effect(key = "cheque", in_doubt = "office")]
        world.act("cheque")?;
        #[read(key = "check")]
        world.check()?;
        Ok(1)
    }
}

mod second {
    use super::*;

    #[durable_workflow(key = "order/{id}", goal = "order", version = 2)]
    pub(super) async fn order(session: &Session, #[resource] world: &World, id: u32) -> anyhow::Result<u32> {
        let version = helper(session)?;
        if version < 2 {
            #[side_effect(key = "cheque", in_doubt = "office")]
            world.act("cheque")?;
        } else {
            #[side_effect(key = "transfer", in_doubt = "office")]
            world.act("transfer")?;
        }
        #[read(key = "check")]
        world.check()?;
        Ok(version)
    }

    /// No workflow: it is asked for the run whose body calls.
    fn helper(session: &Session) -> Result<u32, durable_runtime::Error> {
        Ok(session.began_at()?.version)
    }
}

/// G19: the run keeps the mark of the version that began it.
#[tokio::test]
async fn g19_a_run_goes_on_as_the_version_that_began_it() {
    let (store, world) = (MemoryStore::new(), breaking());
    first::order(&open(&store).await, &world, 1).await.unwrap_err();
    second::order(&open(&store).await, &world, 1).await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    assert_eq!(second::order(&open(&store).await, &world, 1).await.unwrap(), 1);
    assert_eq!(world.happened(), ["cheque"]);
    assert_eq!(second::order(&open(&store).await, &world, 2).await.unwrap(), 2);
    assert_eq!(world.happened(), ["cheque", "transfer"]);
}

#[tokio::test]
async fn an_older_program_does_not_go_on_with_a_newer_run() {
    let (store, world) = (MemoryStore::new(), breaking());
    second::order(&open(&store).await, &world, 1).await.unwrap_err();
    let error = first::order(&open(&store).await, &world, 1).await.unwrap_err().to_string();
    assert!(error.contains("begun by version 2") && error.contains("has version 1"), "{error}");
    assert_eq!(world.happened(), ["transfer"]);
}

#[tokio::test]
async fn a_session_outside_any_run_does_not_say_how_it_began() {
    let session = open(&MemoryStore::new()).await;
    let error = session.began_at().unwrap_err().to_string();
    assert!(error.contains("outside any"), "{error}");
}

/// G20: a step that was put in before what is done runs, and is told of; where nothing is recorded behind it, it is
/// only the next step.
#[test]
fn g20_an_inserted_step_runs_and_is_reported() {
    mod inserted {
        use super::*;

        #[durable_workflow(key = "order/{id}", goal = "order")]
        pub(super) async fn order(session: &Session, #[resource] world: &World, id: u32) -> anyhow::Result<u32> {
            #[read(key = "weigh")]
            let weight = world.weigh();
            #[side_effect(key = "cheque", in_doubt = "office")]
            world.act("cheque")?;
            #[read(key = "check")]
            world.check()?;
            #[side_effect(key = "thank", in_doubt = "office")]
            world.act("thank")?;
            Ok(weight)
        }
    }
    let (weighed, told) = durable_tests::warnings::of(async || {
        let (store, world) = (MemoryStore::new(), breaking());
        first::order(&open(&store).await, &world, 1).await.unwrap_err();
        world.is_down.store(false, Ordering::Relaxed);
        let weight = inserted::order(&open(&store).await, &world, 1).await.unwrap();
        assert_eq!(world.happened(), ["cheque", "thank"]);
        weight
    });
    assert_eq!(weighed, 7);
    let told: Vec<_> = told.iter().filter(|line| line.contains("new, before recorded progress")).collect();
    assert!(matches!(told.as_slice(), [line] if line.contains("order/1//weigh")), "{told:?}");
}

/// G06: the value is of another type now.
#[tokio::test]
async fn g06_a_value_that_no_longer_decodes_is_refused_with_its_place() {
    mod v1 {
        use super::*;

        #[durable_workflow(goal = "order")]
        pub(super) async fn order(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[read(key = "list")]
            let list = vec![(1, "one".to_owned()), (2, "two".to_owned())];
            #[side_effect(key = "book", in_doubt = "office")]
            world.act(&format!("book {}", list.len()))?;
            world.check()?;
            Ok(())
        }
    }
    mod v2 {
        use super::*;

        #[durable_workflow(goal = "order")]
        pub(super) async fn order(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
            #[read(key = "list")]
            let list: Vec<(u32, u32)> = vec![(1, 1)];
            #[side_effect(key = "book", in_doubt = "office")]
            world.act(&format!("book {}", list.len()))?;
            Ok(())
        }
    }
    let (store, world) = (MemoryStore::new(), breaking());
    v1::order(&open(&store).await, &world).await.unwrap_err();
    let before = store.records().len();
    let error = v2::order(&open(&store).await, &world).await.unwrap_err().to_string();
    for text in ["`order//list`", "Vec<(u32, u32)>", "at [0][1]: invalid type", "`version`"] {
        assert!(error.contains(text), "{text}: {error}");
    }
    let after: Vec<_> = store.records()[before..].iter().map(|record| record.event.action()).collect();
    assert_eq!(after.iter().filter(|action| **action == "refused").count(), 1, "{after:?}");
    assert!(!after.iter().any(|action| ["done", "reserve", "failed"].contains(action)), "{after:?}");
}
