//! Refusals that the workflow swallows: they stop it all the same, so that they cannot choose another path.

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::world::{World, open};

#[tokio::test]
async fn a_nested_workflow_that_has_no_key_stops_a_parent_that_swallows_it() {
    #[durable_workflow(key = "mail/{name}")]
    async fn mail(session: &Session, #[resource] world: &World, name: &str) -> anyhow::Result<u32> {
        #[side_effect(key = "send", verify = world.find(name), settle = "0s")]
        let sent = world.act(name)?;
        Ok(sent)
    }
    #[durable_workflow(goal = "write")]
    async fn write(session: &Session, #[resource] world: &World, name: &str) -> anyhow::Result<u32> {
        if let Ok(sent) = mail(session, world, name).await {
            return Ok(sent);
        }
        #[side_effect(key = "letter", verify = world.find("letter"), settle = "0s")]
        let sent = world.act("letter")?;
        Ok(sent)
    }
    let world = World::default();
    let error = write(&open(&MemoryStore::new()).await, &world, "").await.unwrap_err().to_string();
    assert!(error.contains("`write//letter` was refused") && error.contains("mail/{name}"), "{error}");
    assert!(world.acts().is_empty());
}

mod before {
    use super::*;

    #[durable_workflow]
    pub(super) async fn rate(session: &Session) -> anyhow::Result<u32> {
        Ok(7)
    }
}

mod after {
    use super::*;

    /// It gives something else now.
    #[durable_workflow]
    pub(super) async fn rate(session: &Session) -> anyhow::Result<String> {
        Ok("seven".to_owned())
    }
}

#[tokio::test]
async fn a_nested_result_that_no_longer_reads_stops_a_parent_that_swallows_it() {
    #[durable_workflow(goal = "convert")]
    async fn convert(session: &Session, #[resource] world: &World, #[resource] is_first: bool) -> anyhow::Result<u32> {
        if is_first {
            before::rate(session).await?;
            anyhow::bail!("later");
        }
        if after::rate(session).await.is_ok() {
            return Ok(0);
        }
        #[side_effect(key = "guess", verify = world.find("guess"), settle = "0s")]
        let guess = world.act("guess")?;
        Ok(guess)
    }
    let (store, world) = (MemoryStore::new(), World::default());
    convert(&open(&store).await, &world, true).await.unwrap_err();
    let error = convert(&open(&store).await, &world, false).await.unwrap_err().to_string();
    assert!(error.contains("`convert//guess` was refused") && error.contains("no longer reads"), "{error}");
    assert!(world.acts().is_empty());
}

#[durable_workflow(goal = "do two things")]
async fn two(session: &Session, #[resource] world: &World, #[resource] closes: bool) -> anyhow::Result<u32> {
    #[side_effect(key = "a", verify = world.find("a"), settle = "0s")]
    let a = {
        if closes {
            session.clone().close().await?;
        }
        world.act("a")
    }?;
    #[side_effect(key = "b", verify = world.find("b"), settle = "0s")]
    let b = world.act("b")?;
    Ok(a + b)
}

#[tokio::test]
async fn nothing_starts_after_close() {
    let world = World::default();
    let session = open(&MemoryStore::new()).await;
    session.clone().close().await.unwrap();
    let error = two(&session, &world, false).await.unwrap_err().to_string();
    assert!(error.contains("`two` was refused: the session was closed"), "{error}");
    assert!(world.acts().is_empty());
}

#[tokio::test]
async fn a_step_that_runs_while_the_session_is_closed_is_recorded_and_the_next_is_refused() {
    let (store, world) = (MemoryStore::new(), World::default());
    let error = two(&open(&store).await, &world, true).await.unwrap_err().to_string();
    assert!(error.contains("`two//b` was refused: the session was closed"), "{error}");
    assert_eq!(world.acts(), ["a"]);
    assert_eq!(two(&open(&store).await, &world, false).await.unwrap(), 3);
    assert_eq!(world.acts(), ["a", "b"]);
}
