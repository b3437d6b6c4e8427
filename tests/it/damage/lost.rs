//! A log that a hand has deleted, cut or trimmed: what it knew is verified, never run twice; and where the registry is
//! gone as well, nobody can tell what to verify, so the session is refused.

use super::{heals, refused};
use crate::payments::{Bank, Files, due};

/// A session at each stage of its life, and how many payments the bank has booked by then.
async fn stages() -> Vec<(usize, Files)> {
    let mut stages = vec![(4, Files::finished().await)];
    for n in 1..=4 {
        stages.push((n, Files::killed_in(n).await));
    }
    stages
}

#[tokio::test(start_paused = true)]
async fn a_deleted_journal_leads_to_verify_never_to_a_second_payment() {
    for (booked, files) in stages().await {
        let bank = Bank::holding(booked);
        let directory = heals(&files.without(&["journal.jsonl"]), &bank, &format!("{booked} booked")).await;
        assert_eq!(bank.asked(), due(booked));
        let lost = directory.files().records("lost");
        assert_eq!((lost.len(), &lost[0]["keys"]), (1, &due(booked).into()));
    }
}

#[tokio::test(start_paused = true)]
async fn an_emptied_journal_leads_to_verify_never_to_a_second_payment() {
    for (booked, files) in stages().await {
        let bank = Bank::holding(booked);
        heals(&files.with("journal.jsonl", ""), &bank, &format!("{booked} booked")).await;
        assert_eq!(bank.asked(), due(booked));
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_journal_and_state_lead_to_verify_never_to_a_second_payment() {
    for (booked, files) in stages().await {
        let bank = Bank::holding(booked);
        let left = files.without(&["journal.jsonl", "state.json", "handoff.md"]);
        heals(&left, &bank, &format!("{booked} booked")).await;
        assert_eq!(bank.asked(), due(booked));
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_journal_and_registry_are_refused() {
    for (booked, files) in stages().await {
        let case = format!("{booked} booked");
        let error = refused(&files.without(&["journal.jsonl", "idempotency.json"]), &case).await.to_string();
        assert!(error.contains("idempotency.json: it is missing, and journal.jsonl has no record"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_journal_beside_a_registry_that_cannot_be_read_is_refused() {
    for (booked, files) in stages().await {
        let left = files.without(&["journal.jsonl"]).with("idempotency.json", "[\"four_pay");
        let error = refused(&left, &format!("{booked} booked")).await.to_string();
        assert!(error.contains("idempotency.json: it cannot be read, and journal.jsonl has no record"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn keys_of_which_no_file_knows_the_session_are_refused() {
    for (booked, files) in stages().await {
        let left = files.without(&["journal.jsonl", "state.json", "session.lock"]);
        let error = refused(&left, &format!("{booked} booked")).await.to_string();
        assert!(error.contains("idempotency.json") && error.contains("put back session.lock"), "{error}");
    }
}

/// Every journal that is left when lines are cut off its end by hand.
fn shortened(files: &Files) -> impl Iterator<Item = (usize, Files)> {
    let lines = files.lines();
    let shortened = |left: usize| (left, files.with("journal.jsonl", lines[..left].concat()));
    (0..lines.len()).map(shortened).collect::<Vec<_>>().into_iter()
}

#[tokio::test(start_paused = true)]
async fn a_journal_cut_by_hand_after_any_record_leads_to_verify_never_to_a_second_payment() {
    for (booked, whole) in stages().await {
        for (left, files) in shortened(&whole) {
            let case = format!("{booked} booked, {left} lines left");
            heals(&files, &Bank::holding(booked), &case).await;
            heals(&files.without(&["state.json"]), &Bank::holding(booked), &format!("{case}, no state")).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_journal_cut_by_hand_below_what_was_synced_beside_no_registry_is_refused() {
    let whole = Files::finished().await;
    let synced = usize::try_from(
        serde_json::from_str::<serde_json::Value>(whole.text("state.json")).unwrap()["durable"]["synced"]
            .as_u64()
            .unwrap(),
    )
    .unwrap();
    for (left, files) in shortened(&whole).filter(|&(left, _)| left < synced) {
        refused(&files.without(&["idempotency.json"]), &format!("{left} lines left")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_journal_trimmed_by_hand_before_any_record_leads_to_verify_never_to_a_second_payment() {
    for (booked, whole) in stages().await {
        let lines = whole.lines();
        for gone in 1..lines.len() {
            let case = format!("{booked} booked, {gone} lines gone");
            let files = whole.with("journal.jsonl", lines[gone..].concat());
            heals(&files, &Bank::holding(booked), &case).await;
            refused(&files.without(&["idempotency.json"]), &format!("{case}, no registry")).await;
        }
    }
}
