//! "Checkpoint Triggers" of the protocol, line by line: what stands in the files at that moment.

use std::sync::Mutex;

use durable_runtime::prelude::*;
use durable_runtime::{Budget, Error};
use serde_json::Value;

use super::Place;

/// What stood in the files in the middle of an effect.
struct Seen {
    last: Value,
    registry: Vec<String>,
    handoff: String,
}

/// Looks at the files of a session whenever an effect is running.
struct World<'a> {
    place: &'a Place,
    seen: Mutex<Vec<Seen>>,
}

impl<'a> World<'a> {
    fn of(place: &'a Place) -> Self {
        Self { place, seen: Mutex::default() }
    }

    fn act(&self, what: &str) -> Result<String, std::io::Error> {
        let (last, registry) = (self.place.journal().pop().unwrap(), self.place.registry());
        self.seen.lock().unwrap().push(Seen { last, registry, handoff: self.place.handoff() });
        if what == "broken" { Err(std::io::Error::other("402: the account is empty")) } else { Ok(what.to_owned()) }
    }
}

#[durable_workflow(goal = "do {what.len()} things", invariants = ["nothing is done twice"], local)]
async fn errands(session: &Session, #[resource] world: &World<'_>, what: &[String]) -> anyhow::Result<usize> {
    for what in what {
        #[side_effect(key = "do/{what}", title = "do {what}", in_doubt = "ada")]
        world.act(what)?;
    }
    Ok(what.len())
}

async fn run_errands(session: &Session, world: &World<'_>, what: &[&str]) -> anyhow::Result<usize> {
    let what: Vec<_> = what.iter().map(ToString::to_string).collect();
    errands(session, world, &what).await
}

#[tokio::test]
async fn before_issuing_a_payment_transfer_send_db_write_file_write_or_destructive_command() {
    let place = Place::new();
    let (session, world) = (place.open().await, World::of(&place));
    run_errands(&session, &world, &["pay", "send"]).await.unwrap();
    for (seen, key) in world.seen.into_inner().unwrap().iter().zip(["errands//do/pay", "errands//do/send"]) {
        assert_eq!((&seen.last["action"], &seen.last["key"]), (&"reserve".into(), &key.into()), "{key}");
        assert!(seen.registry.contains(&key.to_owned()), "{key}: {:?}", seen.registry);
        let next = seen.handoff.split("## Next action\n").nth(1).unwrap();
        assert!(next.starts_with("1. ASK ada whether `") && next.contains(key), "{}", seen.handoff);
    }
}

#[tokio::test]
async fn after_every_completed_tool_call_that_changed_external_state() {
    let place = Place::new();
    let (session, world) = (place.open().await, World::of(&place));
    run_errands(&session, &world, &["pay", "send"]).await.unwrap();
    let actions: Vec<_> = place.journal().iter().map(|record| record["action"].clone()).collect();
    assert_eq!(actions[2..], ["run", "reserve", "done", "reserve", "done", "end", "mark"]);
    let seen = world.seen.into_inner().unwrap();
    let done = "- Done: `errands//do/pay` (do \"pay\"), result `\"pay\"`";
    assert!(!seen[0].handoff.contains(done) && seen[1].handoff.contains(done), "{}", seen[1].handoff);
    assert!(place.state()["last_action"].as_str().unwrap().starts_with("Finished the run `errands`"));
}

#[tokio::test]
async fn every_time_the_context_budget_is_half_exhausted() {
    let place = Place::new();
    let session = place.open().await;
    let halves = async || {
        let checkpoints = place.journal();
        let why = checkpoints.iter().filter(|record| record["action"] == "checkpoint" && record["why"].is_string());
        why.map(|record| record["why"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(session.budget(90, 200).await.unwrap(), Budget::Fine);
    assert!(halves().await.is_empty());
    assert_eq!(session.budget(104, 200).await.unwrap(), Budget::HalfUsed);
    assert_eq!(halves().await, ["half of the context budget is used: 104 of 200"]);
    let told = "Context budget: 104 of 200 used (52 %). That is more than half";
    assert!(place.handoff().contains(told), "{}", place.handoff());
    assert_eq!(place.state()["durable"]["seq"], place.journal().last().unwrap()["seq"], "every view is of that moment");

    assert_eq!(session.budget(20, 200).await.unwrap(), Budget::Fine);
    assert_eq!(session.budget(150, 200).await.unwrap(), Budget::HalfUsed);
    assert_eq!(halves().await.len(), 2, "every time");
}

#[tokio::test]
async fn on_any_error_path_what_failed_is_recorded_before_moving_on() {
    let place = Place::new();
    let (session, world) = (place.open().await, World::of(&place));
    run_errands(&session, &world, &["pay", "broken"]).await.unwrap_err();
    let records = place.journal();
    let failed = records.iter().find(|record| record["action"] == "failed").unwrap();
    assert_eq!(failed["error"], "402: the account is empty");
    let told = place.handoff();
    assert!(told.contains("402: the account is empty") && told.contains("1. ASK ada"), "{told}");
    let state = place.state();
    assert!(state["next_action"].as_str().unwrap().starts_with("ASK ada"), "{state}");
    assert_eq!(state["durable"]["seq"], records.last().unwrap()["seq"]);
    assert_eq!(state["durable"]["synced"].as_u64().unwrap() + 1, records.last().unwrap()["seq"].as_u64().unwrap());
}

#[tokio::test]
async fn on_session_end_the_final_handoff_is_written_and_then_the_status_is_dormant() {
    let place = Place::new();
    let (session, world) = (place.open().await, World::of(&place));
    run_errands(&session, &world, &["pay"]).await.unwrap();
    assert_eq!(place.state()["status"], "awake");
    session.close().await.unwrap();
    assert_eq!(place.journal().last().unwrap()["action"], "dormant");
    assert!(place.handoff().contains("is not running"), "{}", place.handoff());
    assert!(place.handoff().contains("1. NOTHING is left to do"), "{}", place.handoff());
    assert_eq!(place.state()["status"], "dormant");
}

/// What only the agent knows, such as a model that is to be changed.
#[tokio::test]
async fn a_checkpoint_that_is_asked_for_says_why() -> Result<(), Error> {
    let place = Place::new();
    let session = place.open().await;
    session.checkpoint("the model is changed").await?;
    let records = place.journal();
    let checkpoint = &records[records.len() - 2];
    assert_eq!((&checkpoint["action"], &checkpoint["why"]), (&"checkpoint".into(), &"the model is changed".into()));
    assert_eq!(place.state()["durable"]["synced"], checkpoint["seq"], "it is durable");
    Ok(())
}
