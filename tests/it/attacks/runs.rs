//! Names of runs that name nothing, too much, or what has another name now.

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::world::{World, open};

#[durable_workflow(goal = "mail")]
async fn mail(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
    #[side_effect(key = "send" as send, in_doubt = "office")]
    let sent = world.act(send.as_str())?;
    Ok(sent)
}

/// What a parent says that does not let the error go, and what happened.
async fn swallowed(parent: impl AsyncFnOnce(&Session, &World) -> anyhow::Result<u32>) -> (String, Vec<String>) {
    let world = World::default();
    let error = parent(&open(&MemoryStore::new()).await, &world).await.unwrap_err();
    (error.to_string(), world.acts())
}

#[tokio::test]
async fn a_name_for_no_run_stops_the_parent() {
    #[durable_workflow(goal = "name nothing")]
    async fn parent(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        let named: anyhow::Result<u32> = async {
            #[run(key = "mail")]
            let found = async { world.find("mail") }.await;
            Ok(found.unwrap_or_default())
        }
        .await;
        match named {
            Ok(found) => Ok(found),
            Err(_) => mail(session, world).await,
        }
    }
    let (error, acts) = swallowed(async |session, world| parent(session, world).await).await;
    assert!(error.contains("names run `parent//mail`") && error.contains("entered no run"), "{error}");
    assert!(acts.is_empty());
}

#[tokio::test]
async fn a_name_for_two_runs_is_refused_at_the_second() {
    #[durable_workflow(goal = "name two")]
    async fn parent(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[run(key = "both")]
        let sum = async { anyhow::Ok(mail(session, world).await? + mail(session, world).await?) }.await?;
        Ok(sum)
    }
    let (error, acts) = swallowed(async |session, world| parent(session, world).await).await;
    assert!(error.contains("one run, `parent//both`") && error.contains("`mail`"), "{error}");
    assert_eq!(acts, ["parent//both//send"]);
}

#[tokio::test]
async fn a_task_takes_no_name_and_the_parent_says_why() {
    #[durable_workflow(goal = "spawn")]
    async fn parent(session: &Session) -> anyhow::Result<u32> {
        let session = session.clone();
        #[run(key = "task")]
        tokio::spawn(async move { mail(&session, &World::default()).await }).await??;
        Ok(1)
    }
    let (error, _) = swallowed(async |session, _| parent(session).await).await;
    assert!(error.contains("`parent//task`") && error.contains("tokio::spawn"), "{error}");
}

#[tokio::test]
async fn a_run_of_another_session_takes_no_name() {
    #[durable_workflow(goal = "go elsewhere")]
    async fn parent(session: &Session, #[resource] other: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[run(key = "elsewhere")]
        let sent = mail(other, world).await?;
        Ok(sent)
    }
    let other = open(&MemoryStore::new()).await;
    let (error, acts) = swallowed(async |session, world| parent(session, &other, world).await).await;
    assert!(error.contains("no run of this session"), "{error}");
    assert_eq!(acts, ["mail//send"]);
}

#[tokio::test]
async fn an_error_before_the_run_is_entered_is_the_one_that_is_told() {
    async fn fails_first(session: &Session, world: &World) -> anyhow::Result<u32> {
        anyhow::ensure!(world.find("door").is_some(), "the door is closed");
        mail(session, world).await
    }
    #[durable_workflow(goal = "try")]
    async fn parent(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[run(key = "mail")]
        let sent = fails_first(session, world).await?;
        Ok(sent)
    }
    let (error, _) = swallowed(async |session, world| parent(session, world).await).await;
    assert_eq!(error, "the door is closed");
}

#[tokio::test]
async fn an_empty_hole_in_a_name_is_refused_before_the_call() {
    #[durable_workflow(goal = "mail nobody")]
    async fn parent(session: &Session, #[resource] world: &World, name: &str) -> anyhow::Result<u32> {
        #[run(key = "mail/{name}")]
        let sent = {
            world.act("called")?;
            mail(session, world).await
        }?;
        Ok(sent)
    }
    let (error, acts) = swallowed(async |session, world| parent(session, world, "").await).await;
    assert!(error.contains("mail/{name}"), "{error}");
    assert!(acts.is_empty());
}

#[tokio::test]
async fn one_name_twice_in_a_start_is_told_with_its_place() {
    #[durable_workflow(goal = "mail twice")]
    async fn parent(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        let mut sum = 0;
        for n in ["same", "same"] {
            #[run(key = "mail/{n}")]
            let sent = mail(session, world).await?;
            sum += sent;
        }
        Ok(sum)
    }
    let (error, acts) = swallowed(async |session, world| parent(session, world).await).await;
    assert!(error.contains("`parent//mail/same` is reached twice") && error.contains("runs.rs"), "{error}");
    assert_eq!(acts, ["parent//mail/same//send"]);
}

mod before {
    use super::*;

    #[durable_workflow(goal = "mail")]
    pub(super) async fn parent(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[run(key = "mail")]
        let sent = mail(session, world).await?;
        world.last()?;
        Ok(sent)
    }
}

mod renamed {
    use super::*;

    #[durable_workflow(goal = "mail")]
    pub(super) async fn parent(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[run(key = "post")]
        let sent = mail(session, world).await?;
        Ok(sent)
    }
}

mod a_step_now {
    use super::*;

    #[durable_workflow(goal = "mail")]
    pub(super) async fn parent(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[side_effect(key = "mail", in_doubt = "office")]
        let sent = world.act("step")?;
        Ok(sent)
    }
}

#[tokio::test]
async fn a_named_run_whose_name_is_gone_stops_the_run_before_anything_happens() {
    let (store, world) = (MemoryStore::new(), World::default());
    before::parent(&open(&store).await, &world).await.unwrap_err();
    let error = renamed::parent(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("`parent//mail` in it was named by a `#[run]`"), "{error}");
    let error = a_step_now::parent(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.contains("`parent//mail` in it was named by a `#[run]`"), "{error}");
    assert_eq!(world.acts(), ["parent//mail//send"]);
    assert_eq!(before::parent(&open(&store).await, &world).await.unwrap(), 1);
}

#[tokio::test]
async fn the_handoff_says_which_run_is_entered_next() {
    #[durable_workflow(goal = "look, then mail")]
    async fn parent(session: &Session, #[resource] world: &World, name: &str) -> anyhow::Result<u32> {
        #[side_effect(key = "look", in_doubt = "office")]
        world.act("look")?;
        world.last()?;
        #[run(key = "mail/{name}", title = "mail {name}")]
        let sent = mail(session, world).await?;
        #[side_effect(key = "last", in_doubt = "office")]
        world.act("last")?;
        anyhow::ensure!(name.is_empty(), "the end");
        Ok(sent)
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let session = open(&store).await;
    parent(&session, &world, "ann").await.unwrap_err();
    let next = session.handoff().next_action().unwrap();
    assert!(next.contains("next by entering the run `mail/{name}`, and after that `last`"), "{next}");
    drop(session);
    let session = open(&store).await;
    parent(&session, &world, "ann").await.unwrap_err();
    let letter = session.handoff().to_string();
    assert!(letter.contains("Finished the run `parent//mail/ann` (mail \"ann\")"), "{letter}");
}
