//! Workflows of one name: what one has given is never taken for what the other gives.

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

async fn open() -> Session {
    Session::builder("memory").store(MemoryStore::new()).open().await.unwrap()
}

mod letters {
    use super::*;

    #[durable_workflow(goal = "send")]
    pub(super) async fn send(session: &Session) -> anyhow::Result<String> {
        #[read(key = "what")]
        let what = "a letter".to_owned();
        Ok(what)
    }
}

mod parcels {
    use super::*;

    #[durable_workflow(goal = "send")]
    pub(super) async fn send(session: &Session) -> anyhow::Result<String> {
        #[read(key = "what")]
        let what = "a parcel".to_owned();
        Ok(what)
    }
}

#[tokio::test]
async fn a_finished_run_gives_its_result_to_its_own_workflow_alone() {
    let session = open().await;
    for _ in 0..2 {
        assert_eq!(letters::send(&session).await.unwrap(), "a letter");
    }
    let error = parcels::send(&session).await.unwrap_err().to_string();
    assert!(
        error.contains("`send` is reached twice in one start") && error.matches("namesakes.rs:").count() == 2,
        "{error}"
    );
}

struct Charge;
struct Ship;

trait Act {
    async fn execute(&self, session: &Session) -> anyhow::Result<String>;
}

impl Act for Charge {
    #[durable_workflow(goal = "charge")]
    async fn execute(&self, session: &Session) -> anyhow::Result<String> {
        #[read(key = "what")]
        let what = "charged".to_owned();
        Ok(what)
    }
}

impl Act for Ship {
    #[durable_workflow(goal = "ship")]
    async fn execute(&self, session: &Session) -> anyhow::Result<String> {
        #[read(key = "what")]
        let what = "shipped".to_owned();
        Ok(what)
    }
}

#[tokio::test]
async fn nor_is_it_given_to_the_same_method_of_another_type() {
    let session = open().await;
    assert_eq!(Charge.execute(&session).await.unwrap(), "charged");
    let error = Ship.execute(&session).await.unwrap_err().to_string();
    assert!(error.contains("reached twice in one start"), "{error}");
}
