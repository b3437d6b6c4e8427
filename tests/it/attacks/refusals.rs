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

/// A worker whose session is no parameter, so that its workflows are all root runs.
struct Worker {
    session: Session,
    world: World,
}

impl Worker {
    #[durable_workflow(goal = "mail", session = self.session)]
    async fn mail(&self) -> anyhow::Result<u32> {
        #[side_effect(key = "send", verify = self.world.find("mail"), settle = "0s")]
        let sent = self.world.act("mail")?;
        Ok(sent)
    }

    #[durable_workflow(goal = "mail three times", session = self.session)]
    async fn mail_thrice(&self) -> anyhow::Result<()> {
        for _ in 0..3 {
            self.mail().await?;
        }
        Ok(())
    }

    #[durable_workflow(goal = "wire, or mail", session = self.session)]
    async fn wire_or_mail(&self) -> anyhow::Result<u32> {
        let wired: anyhow::Result<u32> = async {
            #[side_effect(key = "wire", in_doubt = "treasury")]
            let wired = self.world.act_unheard("wire")?;
            Ok(wired)
        }
        .await;
        match wired {
            Ok(wired) => Ok(wired),
            Err(_) => self.mail().await,
        }
    }

    async fn new() -> Self {
        Self { session: open(&MemoryStore::new()).await, world: World::default() }
    }
}

#[tokio::test]
async fn a_helper_method_called_again_by_a_running_workflow_is_told_to_take_a_key() {
    let worker = Worker::new().await;
    let error = worker.mail_thrice().await.unwrap_err().to_string();
    assert!(error.contains("`mail` is reached twice"), "{error}");
    assert_eq!(worker.world.acts(), ["mail"]);
}

#[tokio::test]
async fn a_stopped_workflow_begins_no_other_by_a_session_of_its_own() {
    let worker = Worker::new().await;
    let error = worker.wire_or_mail().await.unwrap_err().to_string();
    assert!(error.contains("`mail` was refused") && error.contains("wire_or_mail//wire"), "{error}");
    assert_eq!(worker.world.acts(), ["wire"]);
}
