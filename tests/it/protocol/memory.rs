//! What a session remembers for those who work in it, and what becomes of that where files are lost.

use std::fs;

use durable_runtime::prelude::*;
use durable_runtime::{Artifact, Error, Inventory};

use super::Place;

fn deliver(page: u32) -> u32 {
    page
}

/// Notes in its body, and reads that in a step.
#[durable_workflow(goal = "write {pages} pages", invariants = ["a page is sent once"])]
async fn write(session: &Session, pages: u32) -> Result<u32, Error> {
    let memory = session.memory();
    for n in 1..=pages {
        memory.set("page", &n).await?;
        #[side_effect(key = "send/{n}", idempotent = "by its number")]
        let sent = deliver(n);
        memory.artifact(Artifact::new(format!("page-{sent}.md")).digest(format!("d{sent}"))).await?;
    }
    #[read(key = "pages")]
    let page: Option<u32> = memory.get("page")?;
    Ok(page.unwrap_or(0))
}

/// "Checkpoint inventory, persisted: current goal, last completed action, running result, next action, open invariants".
#[tokio::test]
async fn the_inventory_is_in_state_json_and_in_the_handoff_and_has_a_type() {
    let place = Place::new();
    let session = place.open().await;
    assert_eq!(write(&session, 2).await.unwrap(), 2);
    let inventory = session.inventory();
    session.close().await.unwrap();

    let state = place.state();
    let persisted: Inventory = serde_json::from_value(state.clone()).unwrap();
    assert_eq!(persisted.goal.as_deref(), Some("write 2 pages"));
    assert_eq!(
        (&persisted.last_action, &persisted.running_result),
        (&inventory.last_action, &inventory.running_result)
    );
    assert_eq!(
        persisted.running_result.as_deref(),
        Some("3 steps have their result; the newest result is that of `write`: `2`")
    );
    let handoff = place.handoff();
    assert!(handoff.contains(&persisted.last_action.unwrap()), "{handoff}");
    assert!(handoff.contains(&persisted.next_action.unwrap()), "{handoff}");
    assert!(persisted.open_invariants.iter().all(|line| handoff.contains(line)), "{handoff}");
    insta::assert_snapshot!("inventory", inventory.to_string());
    assert_eq!(state["memory"]["values"]["page"], 2);
    assert_eq!(state["memory"]["artifacts"], serde_json::json!(["page-1.md", "page-2.md"]));
    assert_eq!(state["memory"]["described"][1]["digest"], "d2");
}

/// Nothing is lost with the view, and of a log that is lost the view says what was remembered.
#[tokio::test]
async fn what_is_remembered_outlives_the_loss_of_state_json_and_that_of_the_journal() {
    for lost in ["state.json", "journal.jsonl"] {
        let place = Place::new();
        let session = place.open().await;
        write(&session, 2).await.unwrap();
        session.close().await.unwrap();
        fs::remove_file(place.dir.join(lost)).unwrap();

        let session = place.open().await;
        assert_eq!(session.memory().get::<u32>("page").unwrap(), Some(2), "without {lost}");
        let made = session.memory().artifacts().unwrap();
        assert_eq!(made[1], Artifact::new("page-2.md").digest("d2"), "without {lost}");
        assert_eq!(made.len(), 2, "without {lost}");
        drop(session);

        // And from then on it stands in the log again.
        fs::remove_file(place.dir.join("state.json")).unwrap();
        assert_eq!(place.open().await.memory().get::<u32>("page").unwrap(), Some(2), "without {lost}");
    }
}

#[tokio::test]
async fn what_is_remembered_outlives_a_log_that_is_shrunk() {
    let place = Place::new();
    let session = place.open().await;
    write(&session, 30).await.unwrap();
    session.memory().set("gone", &1).await.unwrap();
    session.memory().remove("gone").await.unwrap();
    assert!(session.trim().await.unwrap());
    drop(session);
    let session = place.open().await;
    assert_eq!(session.memory().names().unwrap(), ["page"]);
    assert_eq!(session.memory().get::<u32>("page").unwrap(), Some(30));
    assert_eq!(session.memory().artifacts().unwrap().len(), 30);
}

/// A view that somebody has written to is none the wiser: the log decides as long as it is there.
#[tokio::test]
async fn what_a_hand_writes_into_state_json_counts_for_nothing_beside_a_log() {
    let place = Place::new();
    let session = place.open().await;
    write(&session, 1).await.unwrap();
    session.close().await.unwrap();
    let text = fs::read_to_string(place.dir.join("state.json")).unwrap();
    fs::write(place.dir.join("state.json"), text.replace("\"page\": 1", "\"page\": 666")).unwrap();
    assert_eq!(place.open().await.memory().get::<u32>("page").unwrap(), Some(1));
}
