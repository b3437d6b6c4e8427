//! Logs whose beginning or end is gone: what they knew is verified or asked, never read or run anew by itself; and there
//! is a way out of each.

use durable_runtime::Error;
use durable_runtime::prelude::*;

use super::world::World;
use crate::payments::{Directory, Files};

/// One start of a session, closed in order.
async fn start<T>(directory: &Directory, work: impl AsyncFn(&Session) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let session = directory.session().open().await.unwrap();
    let result = work(&session).await;
    session.close().await.unwrap();
    result
}

/// Starts until a person has answered everything; the keys that were asked for, in their order.
async fn answering<T>(
    directory: &Directory,
    work: impl AsyncFn(&Session) -> anyhow::Result<T>,
    answer: impl AsyncFn(&Session, &str),
) -> (T, Vec<String>) {
    let mut asked = Vec::new();
    loop {
        let session = directory.session().open().await.unwrap();
        match work(&session).await {
            Ok(value) => return (value, asked),
            Err(error) => asked.push(key_in_doubt(&error)),
        }
        answer(&session, &asked[asked.len() - 1]).await;
        session.close().await.unwrap();
        assert!(asked.len() < 10, "no end: {asked:?}");
    }
}

fn key_in_doubt(error: &anyhow::Error) -> String {
    let ours = error.downcast_ref::<Error>().unwrap_or_else(|| panic!("{error}"));
    assert!(ours.is_in_doubt(), "{error}");
    ours.key().unwrap().to_owned()
}

/// Pays whom it reads.
#[durable_workflow(goal = "pay")]
async fn pay(session: &Session, #[resource] world: &World, #[resource] whom: &str) -> anyhow::Result<String> {
    #[read(key = "whom")]
    let whom = whom.to_owned();
    #[side_effect(key = "pay/{whom}", verify = world.find(&whom), settle = "0s")]
    let _paid = world.act(&whom)?;
    world.last()?;
    Ok(whom)
}

/// Ann is paid, and the run is not finished; what its log says before the first line with `action` is cut off.
async fn trimmed_before(action: &str, world: &World) -> Directory {
    let directory = Directory::new();
    start(&directory, async |session| pay(session, world, "ann").await).await.unwrap_err();
    let files = Files(directory.files().bytes());
    let lines = files.lines();
    let is_it = |line: &&str| line.contains("pay/ann") && line.contains(&format!("\"action\":\"{action}\""));
    let at = lines.iter().position(is_it).unwrap();
    Directory::of(&files.with("journal.jsonl", lines[at..].concat()))
}

#[tokio::test(start_paused = true)]
async fn a_read_whose_record_was_trimmed_away_is_asked_and_not_read_anew() {
    for action in ["reserve", "done"] {
        let world = World::default();
        let directory = trimmed_before(action, &world).await;
        let work = async |session: &Session| pay(session, &world, "bob").await;
        let answer = async |session: &Session, key: &str| {
            session.resolve(key).happened("ann").by("Eve", "the ledger says so").await.unwrap();
        };
        assert_eq!(answering(&directory, work, answer).await, ("ann".to_owned(), vec!["pay//whom".to_owned()]));
        assert_eq!(world.acts(), ["ann"], "trimmed before {action}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_trimmed_read_that_did_not_happen_is_read_anew() {
    let world = World::default();
    let directory = trimmed_before("done", &world).await;
    let work = async |session: &Session| pay(session, &world, "ann").await;
    let answer = async |session: &Session, key: &str| {
        session.resolve(key).did_not_happen().by("Eve", "it is the same again").await.unwrap();
    };
    assert_eq!(answering(&directory, work, answer).await, ("ann".to_owned(), vec!["pay//whom".to_owned()]));
    assert_eq!(world.acts(), ["ann"]);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_log_is_left_by_answers() {
    let (directory, world) = (Directory::new(), World::default());
    start(&directory, async |session| pay(session, &world, "ann").await).await.unwrap_err();
    let directory = Directory::of(&Files(directory.files().bytes()).without(&["journal.jsonl"]));
    let work = async |session: &Session| pay(session, &world, "bob").await;
    let error = start(&directory, work).await.unwrap_err();
    assert!(
        error.to_string().contains("the log of run `pay` is gone")
            && error.to_string().contains("not settled yet: pay//pay/ann"),
        "{error}"
    );
    let session = directory.session().open().await.unwrap();
    session.resolve("pay//pay/ann").happened(&1).by("Eve", "the ledger says so").await.unwrap();
    session.close().await.unwrap();
    let answer = async |session: &Session, key: &str| {
        session.resolve(key).happened("ann").by("Eve", "the ledger says so").await.unwrap();
    };
    assert_eq!(answering(&directory, work, answer).await, ("ann".to_owned(), vec!["pay//whom".to_owned()]));
    assert_eq!(world.acts(), ["ann"]);
}

#[tokio::test(start_paused = true)]
async fn a_lost_key_of_a_child_keeps_its_parent_from_reading_anew() {
    #[durable_workflow(key = "to/{whom}")]
    async fn child(session: &Session, #[resource] world: &World, whom: &str) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = world.find(whom), settle = "0s")]
        let paid = world.act(whom)?;
        Ok(paid)
    }
    #[durable_workflow(goal = "pay")]
    async fn parent(session: &Session, #[resource] world: &World, #[resource] whom: &str) -> anyhow::Result<()> {
        #[read(key = "whom")]
        let whom = whom.to_owned();
        child(session, world, &whom).await?;
        world.last()
    }
    let (directory, world) = (Directory::new(), World::default());
    start(&directory, async |session| parent(session, &world, "ann").await).await.unwrap_err();
    let directory = Directory::of(&Files(directory.files().bytes()).without(&["journal.jsonl"]));
    let error = start(&directory, async |session| parent(session, &world, "bob").await).await.unwrap_err();
    assert!(error.to_string().contains("parent//to/ann//pay"), "{error}");
    assert_eq!(world.acts(), ["ann"]);
}

/// A key that was never reserved stands in the registry, and the one that was does not.
#[tokio::test(start_paused = true)]
async fn a_key_that_only_a_changed_registry_knows_is_left_by_answers() {
    let (directory, world) = (Directory::new(), World::default());
    start(&directory, async |session| pay(session, &world, "ann").await).await.unwrap_err();
    let files = Files(directory.files().bytes());
    let registry = files.text("idempotency.json").replace("pay/ann", "pay/eve");
    let directory = Directory::of(&files.with("idempotency.json", registry));
    let session = directory.session().open().await.unwrap();
    session.resolve("pay//pay/eve").did_not_happen().by("Eve", "I was never paid").await.unwrap();
    session.close().await.unwrap();
    let work = async |session: &Session| pay(session, &world, "bob").await;
    assert_eq!(start(&directory, work).await.unwrap(), "ann");
    assert_eq!(world.acts(), ["ann"]);
}

#[tokio::test(start_paused = true)]
async fn epochs_go_on_growing_after_the_boots_were_trimmed_away() {
    let directory = Directory::new();
    let epoch = |directory: &Directory| directory.files().journal().last().unwrap()["epoch"].as_u64().unwrap();
    for _ in 0..3 {
        start(&directory, async |_| Ok(())).await.unwrap();
    }
    let files = Files(directory.files().bytes());
    let trimmed = Directory::of(&files.with("journal.jsonl", files.lines().pop().unwrap()));
    start(&trimmed, async |_| Ok(())).await.unwrap();
    assert_eq!((epoch(&directory), epoch(&trimmed)), (3, 4));
}
