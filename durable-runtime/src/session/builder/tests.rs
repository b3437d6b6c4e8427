use super::*;
use crate::Budget;
use crate::core::state::{Life, Status};
use crate::session::tests::open;
use crate::store::memory::MemoryStore;

/// A start that goes on.
async fn going_on(store: &MemoryStore) -> Session {
    Session::builder("memory").store(store.clone()).go_on().open().await.unwrap()
}

fn status(session: &Session) -> Status {
    session.shared.live().state.status
}

#[tokio::test]
async fn a_start_that_goes_on_keeps_the_number_of_an_iteration_that_is_awake_and_of_no_other() {
    let store = MemoryStore::new();
    let first = going_on(&store).await;
    assert_eq!(first.iteration(), 1, "a new session begins one");
    first.leave().await.unwrap();
    drop(going_on(&store).await);
    let third = going_on(&store).await;
    assert_eq!((third.iteration(), third.shared.live().state.epoch), (1, 3), "each start is a boot all the same");
    drop(third);
    let anew = open(&store).await;
    assert_eq!(anew.iteration(), 2, "who does not go on counts");
    anew.close().await.unwrap();
    assert_eq!(going_on(&store).await.iteration(), 3, "a session that was closed begins one");
}

#[tokio::test]
async fn a_session_that_is_left_is_awake_and_durable_and_takes_nothing_more() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    session.memory().set("tone", "dry").await.unwrap();
    session.clone().leave().await.unwrap();
    let refused = session.side_effect("late").idempotent().run(|_| async { Ok::<_, Error>(()) }).await;
    assert!(refused.unwrap_err().to_string().contains("was closed"));
    drop(session);
    let next = going_on(&store).await;
    assert_eq!(status(&next), Status::Awake);
    assert_eq!(next.memory().get::<String>("tone").unwrap().as_deref(), Some("dry"));
}

#[tokio::test]
async fn a_start_that_goes_on_knows_that_whoever_reserved_is_gone() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    let never = session.side_effect("pay").in_doubt("treasury").run(|_| std::future::pending::<Result<(), Error>>());
    assert!(tokio::time::timeout(std::time::Duration::from_millis(20), never).await.is_err());
    drop(session);
    let next = going_on(&store).await;
    let live = next.shared.live();
    assert!(matches!(live.state.steps.get("pay").unwrap().life, Life::Doubt(_)));
}

#[tokio::test]
async fn half_of_a_context_that_was_used_in_an_iteration_is_used_in_all_of_its_starts() {
    let store = MemoryStore::new();
    let first = open(&store).await;
    assert_eq!(first.budget(60, 100).await.unwrap(), Budget::HalfUsed);
    first.leave().await.unwrap();
    let second = going_on(&store).await;
    assert_eq!(second.budget(70, 100).await.unwrap(), Budget::Low);
    drop(second);
    assert_eq!(
        open(&store).await.budget(70, 100).await.unwrap(),
        Budget::HalfUsed,
        "another iteration is another context"
    );
}

#[tokio::test]
async fn without_a_goal_not_even_a_directory_is_made() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("session");
    let refused = Session::builder(&dir).require_goal().open().await.unwrap_err();
    assert!(refused.to_string().contains("has no goal"), "{refused}");
    assert!(std::fs::symlink_metadata(&dir).is_err());
    Session::open(&dir).await.unwrap().close().await.unwrap();
    let before = std::fs::read(dir.join("journal.jsonl")).unwrap();
    assert!(Session::builder(&dir).require_goal().open().await.is_err());
    assert_eq!(std::fs::read(dir.join("journal.jsonl")).unwrap(), before);
    Session::builder(&dir).goal("pay").open().await.unwrap().close().await.unwrap();
    assert!(Session::builder(&dir).require_goal().open().await.is_ok(), "it is kept from the last boot");
}

#[tokio::test]
async fn a_store_without_descriptors_lends_no_lock() {
    let refused = open(&MemoryStore::new()).await.lend_lock().unwrap_err();
    assert!(refused.to_string().contains("no program can inherit the lock"), "{refused}");
}
