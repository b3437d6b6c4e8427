//! A workflow that has its session from elsewhere than its parameters belongs to the run that calls it.

use std::sync::Arc;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::world::{World, open};

struct Worker {
    session: Session,
    world: World,
}

impl Worker {
    async fn new() -> Arc<Self> {
        Arc::new(Self { session: open(&MemoryStore::new()).await, world: World::default() })
    }

    /// The effect is known to the world by its full key.
    #[durable_workflow(goal = "mail", session = self.session)]
    async fn mail(&self) -> anyhow::Result<u32> {
        #[side_effect(key = "send" as send, in_doubt = "office")]
        let sent = self.act(send).await?;
        Ok(sent)
    }

    async fn act(&self, key: &StepKey) -> anyhow::Result<u32> {
        tokio::task::yield_now().await;
        self.world.act(key.as_str())
    }

    #[durable_workflow(key = "letters/{n}", goal = "write", session = self.session)]
    async fn letters(&self, n: u32) -> anyhow::Result<u32> {
        let mailed = self.mail().await?;
        #[side_effect(key = "file" as file, in_doubt = "office")]
        let filed = self.act(file).await?;
        Ok(mailed + filed)
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
        if let Ok(wired) = self.wire().await {
            return Ok(wired);
        }
        self.mail().await
    }

    #[durable_workflow(session = self.session)]
    async fn wire(&self) -> anyhow::Result<u32> {
        #[side_effect(key = "send", in_doubt = "treasury")]
        let wired = self.world.act_unheard("wire")?;
        Ok(wired)
    }

    #[durable_workflow(goal = "give up", session = self.session)]
    async fn panics(&self) -> anyhow::Result<()> {
        panic!("no way on");
    }
}

#[tokio::test]
async fn a_method_that_workflows_call_is_a_run_of_each_of_them() {
    let worker = Worker::new().await;
    let (first, second) = tokio::join!(worker.letters(1), worker.letters(2));
    first.unwrap();
    second.unwrap();
    let mut acts = worker.world.acts();
    acts.sort_unstable();
    assert_eq!(acts, ["letters/1//file", "letters/1//mail//send", "letters/2//file", "letters/2//mail//send"]);
}

#[tokio::test]
async fn what_is_called_beside_a_workflow_is_a_run_of_its_own() {
    let worker = Worker::new().await;
    let (inside, beside) = tokio::join!(worker.letters(1), worker.mail());
    inside.unwrap();
    beside.unwrap();
    worker.mail().await.unwrap();
    let mut acts = worker.world.acts();
    acts.sort_unstable();
    assert_eq!(acts, ["letters/1//file", "letters/1//mail//send", "mail//send"]);
}

#[tokio::test]
async fn a_run_of_another_session_in_between_changes_nothing() {
    #[durable_workflow(goal = "ask around")]
    async fn between(session: &Session, #[resource] worker: &Worker) -> anyhow::Result<u32> {
        worker.mail().await
    }
    #[durable_workflow(goal = "go around", session = worker.session)]
    async fn around(#[resource] worker: &Worker, #[resource] other: &Session) -> anyhow::Result<u32> {
        between(other, worker).await
    }
    let (worker, other) = (Worker::new().await, open(&MemoryStore::new()).await);
    around(&worker, &other).await.unwrap();
    assert_eq!(worker.world.acts(), ["around//mail//send"]);
}

#[tokio::test]
async fn a_panic_leaves_nothing_behind() {
    let worker = Worker::new().await;
    let error = worker.panics().await.unwrap_err().to_string();
    assert!(error.contains("panicked at tests/it/attacks/surroundings.rs:"), "{error}");
    worker.mail().await.unwrap();
    assert_eq!(worker.world.acts(), ["mail//send"]);
}

#[tokio::test]
async fn a_method_called_again_by_a_running_workflow_is_told_to_take_a_key() {
    let worker = Worker::new().await;
    let error = worker.mail_thrice().await.unwrap_err().to_string();
    assert!(error.contains("`mail_thrice//mail` is reached twice"), "{error}");
    assert_eq!(worker.world.acts(), ["mail_thrice//mail//send"]);
}

#[tokio::test]
async fn a_stopped_workflow_begins_no_other_by_a_session_of_its_own() {
    let worker = Worker::new().await;
    let error = worker.wire_or_mail().await.unwrap_err().to_string();
    assert!(error.contains("`wire_or_mail//mail` was refused") && error.contains("wire_or_mail//wire"), "{error}");
    assert_eq!(worker.world.acts(), ["wire"]);
}

/// A task has no surroundings: the runs that it enters are root runs.
mod tasks {
    use super::*;

    async fn spawned(worker: &Arc<Worker>) -> anyhow::Result<u32> {
        let worker = Arc::clone(worker);
        tokio::spawn(async move { worker.mail().await }).await?
    }

    #[durable_workflow(goal = "mail twice", session = worker.session)]
    async fn twice(#[resource] worker: &Arc<Worker>) -> anyhow::Result<u32> {
        spawned(worker).await?;
        spawned(worker).await
    }

    #[durable_workflow(goal = "wire, or mail", session = worker.session)]
    async fn wire_or_mail(#[resource] worker: &Arc<Worker>) -> anyhow::Result<u32> {
        if let Ok(wired) = worker.wire().await {
            return Ok(wired);
        }
        spawned(worker).await
    }

    #[tokio::test]
    async fn a_run_that_a_task_enters_twice_for_a_running_workflow_is_told_to_take_a_key() {
        let worker = Worker::new().await;
        let error = twice(&worker).await.unwrap_err().to_string();
        assert!(error.contains("`mail` is reached twice"), "{error}");
        assert_eq!(worker.world.acts(), ["mail//send"]);
    }

    #[durable_workflow(session = worker.session)]
    async fn without_a_goal(#[resource] worker: &Arc<Worker>) -> anyhow::Result<()> {
        let _ = worker;
        Ok(())
    }

    #[durable_workflow(goal = "look", session = worker.session, nondeterminism = "allow")]
    async fn looks(#[resource] worker: &Arc<Worker>) -> anyhow::Result<()> {
        let worker = Arc::clone(worker);
        let step = |worker: Arc<Worker>| async move {
            worker.session.read("plain").run(async || Ok::<_, durable_runtime::Error>(1)).await
        };
        let plain = tokio::spawn(step(Arc::clone(&worker))).await?;
        let error = plain.unwrap_err().to_string();
        assert!(error.contains("step `plain` (") && error.contains("run `looks` is under way"), "{error}");
        tokio::spawn(async move { without_a_goal(&worker).await }).await?
    }

    #[tokio::test]
    async fn a_task_without_a_goal_is_told_that_it_is_outside_its_run() {
        let session = Session::builder("memory").store(MemoryStore::new()).open().await.unwrap();
        let worker = Arc::new(Worker { session, world: World::default() });
        let error = looks(&worker).await.unwrap_err().to_string();
        assert!(error.contains("workflow `without_a_goal` (") && error.contains("run `looks` is under way"), "{error}");
    }

    #[tokio::test]
    async fn a_stopped_workflow_begins_no_other_by_a_task() {
        let worker = Worker::new().await;
        let error = wire_or_mail(&worker).await.unwrap_err().to_string();
        assert!(error.contains("`mail` was refused") && error.contains("wire_or_mail//wire"), "{error}");
        assert_eq!(worker.world.acts(), ["wire"]);
    }
}
