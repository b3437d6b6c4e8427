//! "Entropy Resistance" of the protocol, line by line.

use durable_runtime::prelude::*;
use durable_runtime::{Error, Research, Turn};

use super::Place;

/// What is to be done in each turn, in order: `a` acts, `m` makes something, `r` reads, `-` does nothing.
#[durable_workflow(goal = "get on", local)]
async fn agent(session: &Session, plan: &str) -> Result<String, Error> {
    let pace = session.pace();
    let mut told = String::new();
    for what in plan.chars() {
        told.push(match pace.turn().await? {
            Turn::Work => '.',
            Turn::Explore(_) => 'E',
            Turn::Build(_) => 'B',
            Turn::Rest => 'R',
            _ => '?',
        });
        if told.ends_with('R') {
            continue;
        }
        let n = pace.number();
        if what == 'r' {
            #[read(key = "read/{n}")]
            act(n);
        } else if what != '-' {
            #[side_effect(key = "act/{n}", idempotent = "it counts nothing")]
            act(n);
        }
        if what == 'm' {
            session.memory().artifact(format!("page-{n}")).await?;
        }
    }
    pace.end();
    #[side_effect(key = "report", idempotent = "it counts nothing")]
    act(0);
    Ok(told)
}

fn act(turn: u64) -> u64 {
    turn
}

async fn told(plan: &str) -> String {
    let place = Place::new();
    let session = place.open().await;
    agent(&session, plan).await.unwrap()
}

#[tokio::test]
async fn three_iterations_with_no_completed_action_force_an_exploration_pass() {
    assert_eq!(told("---m").await, "...E");
    assert_eq!(told("--mmmm").await, "......");
    assert_eq!(told("rrrm").await, "...E", "who only looks has not acted");
}

#[tokio::test]
async fn five_iterations_with_no_new_artifact_force_a_build() {
    assert_eq!(told("aaaaam").await, ".....B");
    assert_eq!(told("aaaamaa").await, ".......");
}

#[tokio::test]
async fn every_eighth_iteration_consolidates_only() {
    assert_eq!(told("mmmmmmmmmmmmmmmmm").await, ".......R.......R.");
}

/// Its arm for a rest acts.
#[durable_workflow(goal = "never rest")]
async fn restless(session: &Session) -> Result<u64, Error> {
    let pace = session.pace().rest_every(2);
    loop {
        let _turn = pace.turn().await?;
        let n = pace.number();
        #[side_effect(key = "act/{n}", idempotent = "it counts nothing")]
        act(n);
    }
}

#[tokio::test]
async fn no_effect_is_reserved_in_a_rest_in_no_start() {
    let place = Place::new();
    for _ in 0..2 {
        let session = place.open().await;
        let error = restless(&session).await.unwrap_err();
        assert!(error.is_resting(), "{error}");
        let text = error.to_string();
        assert!(text.contains("`restless//act/2` (") && text.contains("entropy.rs:"), "{text}");
    }
    assert_eq!(place.registry(), ["restless//act/1"]);
    assert!(place.handoff().contains("Pace: in turn 2 of `restless` the worker is to REST"), "{}", place.handoff());
}

#[tokio::test]
async fn about_to_hand_roll_a_component_a_verdict_is_written_in_the_same_session() {
    let place = Place::new();
    let session = place.open().await;
    session.pace().researched("retry queue", Research::Adapt, "backon has no jitter of ours").await.unwrap();
    drop(session);
    let verdict = place.journal().pop().unwrap();
    assert_eq!((&verdict["action"], &verdict["verdict"]), (&"verdict".into(), &"adapt".into()));
    assert_eq!(verdict["because"], "backon has no jitter of ours");
    let session = place.open().await;
    assert_eq!(session.pace().verdicts().unwrap()[0].component, "retry queue");
}
