//! "Boot Sequence" of the protocol: what a start does before any work, in order.

use durable_runtime::prelude::*;

use super::Place;

async fn draft() -> Result<u32, std::io::Error> {
    Ok(3)
}

#[durable_workflow(goal = "write a report, and submit it")]
async fn report(session: &Session, #[resource] is_up: bool) -> anyhow::Result<u32> {
    #[side_effect(key = "draft", idempotent = "by its name")]
    let pages = draft().await?;
    anyhow::ensure!(is_up, "the receiver is down");
    #[side_effect(key = "submit", idempotent = "by its name")]
    draft().await?;
    Ok(pages)
}

/// The actions of the records, from the newest boot on.
fn since_boot(place: &Place) -> Vec<String> {
    let records = place.journal();
    let boot = records.iter().rposition(|record| record["action"] == "boot").unwrap();
    records[boot..].iter().map(|record| record["action"].as_str().unwrap().to_owned()).collect()
}

/// "If missing, initialize it": a first start has an iteration, a state and a letter of its own before any work.
#[tokio::test]
async fn a_first_boot_makes_the_state_and_the_letter() {
    let place = Place::new();
    let session = place.open().await;
    assert_eq!(session.iteration(), 1);
    assert_eq!(since_boot(&place), ["boot", "checkpoint"]);
    assert_eq!((&place.state()["session_iteration"], &place.state()["status"]), (&1.into(), &"awake".into()));
    assert!(place.handoff().starts_with("# Handoff — writer — iteration 1\n"), "{}", place.handoff());
}

/// "Read handoff.md first", "read the journal tail", "increment session_iteration; set status: awake", "write a checkpoint
/// immediately", "resume the exact next action named in the handoff file".
#[tokio::test]
async fn a_boot_reads_the_letter_and_the_tail_counts_wakes_anchors_and_goes_on_with_the_next_action() {
    let place = Place::new();
    report(&place.open().await, false).await.unwrap_err();
    let (letter, tail) = (place.handoff(), place.journal().len().min(20));
    assert!(letter.contains("`submit`"), "{letter}");

    let session = place.open().await;
    let found = session.boot_report();
    assert_eq!(found.handoff().map(str::trim_end), Some(&*letter), "as it was left");
    assert_eq!(found.journal().len(), tail);
    assert_eq!(session.iteration(), 2);
    assert_eq!(since_boot(&place), ["boot", "checkpoint"], "before any work");
    assert_eq!((&place.state()["session_iteration"], &place.state()["status"]), (&2.into(), &"awake".into()));

    report(&session, true).await.unwrap();
    let reserved = place.journal().into_iter().rfind(|record| record["action"] == "reserve").unwrap();
    assert_eq!(reserved["key"], "report//submit", "and nothing was drafted again");
    assert_eq!(place.registry(), ["report//draft", "report//submit"]);
}

/// "Never trim state.json's memory or the registry without a checkpoint first", and "journal trim never removes the boot/checkpoint
/// anchors".
#[tokio::test]
async fn a_trim_writes_a_checkpoint_first_and_keeps_the_anchors_the_memory_and_every_key() {
    let place = Place::new();
    let session = place.open().await;
    session.memory().set("tone", "dry").await.unwrap();
    report(&session, true).await.unwrap();
    let (keys, memory) = (place.registry(), place.state()["memory"]["values"].clone());
    assert!(session.trim().await.unwrap());
    session.close().await.unwrap();

    let kept = [place.journal(), super::lines(&place.dir.join("snapshot.jsonl"))].concat();
    let newest = |action: &str| {
        kept.iter().filter(|record| record["action"] == action).map(|record| record["seq"].as_u64()).max()
    };
    let why = kept.iter().find(|record| record["seq"].as_u64() == newest("checkpoint").unwrap()).unwrap();
    assert_eq!(why["why"], "the log is to be shrunk");
    assert!(
        newest("boot").is_some() && newest("boot") < newest("checkpoint") && newest("checkpoint") <= newest("trim")
    );
    assert_eq!((place.registry(), &place.state()["memory"]["values"]), (keys, &memory));
}
