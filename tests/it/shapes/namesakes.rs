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

trait Kind {
    const NAME: &'static str;
}

struct User;
struct Order;

impl Kind for User {
    const NAME: &'static str = "users";
}

impl Kind for Order {
    const NAME: &'static str = "orders";
}

#[durable_workflow(goal = "sync")]
async fn sync<T: Kind, const PAGE: usize>(session: &Session) -> anyhow::Result<String> {
    #[read(key = "what")]
    let what = format!("{} by {PAGE}", T::NAME);
    Ok(what)
}

#[tokio::test]
async fn nor_to_another_instance_of_a_generic_workflow() {
    let session = open().await;
    for _ in 0..2 {
        assert_eq!(sync::<User, 10>(&session).await.unwrap(), "users by 10");
    }
    for error in [sync::<Order, 10>(&session).await.unwrap_err(), sync::<User, 20>(&session).await.unwrap_err()] {
        let error = error.to_string();
        assert!(error.contains("::User, 10` in this start") && error.contains("write a `key`"), "{error}");
    }
}

trait Everywhere: Kind {
    async fn sync(&self, session: &Session) -> anyhow::Result<String>;
}

struct All<T>(Vec<T>);

impl<T: Kind> Everywhere for All<T>
where
    Self: Kind,
{
    #[durable_workflow(goal = "sync")]
    async fn sync(&self, session: &Session) -> anyhow::Result<String> {
        #[read(key = "what")]
        let what = format!("{} {}", self.0.len(), T::NAME);
        Ok(what)
    }
}

impl<T: Kind> Kind for All<T> {
    const NAME: &'static str = T::NAME;
}

#[tokio::test]
async fn nor_to_that_of_a_generic_type() {
    let session = open().await;
    assert_eq!(All::<User>(vec![]).sync(&session).await.unwrap(), "0 users");
    let error = All::<Order>(vec![]).sync(&session).await.unwrap_err().to_string();
    assert!(error.contains("All<") && error.contains("write a `key`"), "{error}");
}

#[tokio::test]
async fn the_type_of_a_client_makes_no_other_workflow() {
    #[durable_workflow(goal = "greet")]
    async fn greet<C: Fn() -> String>(session: &Session, #[resource] client: C) -> anyhow::Result<String> {
        #[read(key = "greeting")]
        let greeting = client();
        Ok(greeting)
    }
    fn other() -> String {
        "other".to_owned()
    }
    let session = open().await;
    assert_eq!(greet(&session, || "one".to_owned()).await.unwrap(), "one");
    assert_eq!(greet(&session, other).await.unwrap(), "one");
}
