//! Files of a session that somebody has deleted between two starts.

use std::fs;

use durable_tests::stage::{Fate, Moment};
use durable_tests::workflows::{Kind, Workflow};
use durable_tests::world::Act;

use crate::support::Trial;

/// A trial that was killed after its second effect, and these files of it are gone.
fn killed_and_without(workflow: Workflow, files: &[&str]) -> Trial {
    let mut trial = Trial::new(workflow);
    trial.die_at(Moment::Applied, "credit");
    for name in files {
        fs::remove_file(trial.files().path(name)).expect("the file was there");
    }
    trial
}

#[test]
fn a_deleted_journal_leads_to_verification_and_never_to_a_second_payment() {
    let mut trial = killed_and_without(Workflow::Verified, &["journal.jsonl"]);
    let result = trial.finish();
    let ledger = trial.ledger();
    assert_eq!(["debit", "credit", "mail"].map(|key| ledger.count(Act::Asked, key)), [1, 1, 0], "{trial}");
    assert_eq!(["debit", "credit", "mail"].map(|key| ledger.count(Act::Called, key)), [1, 1, 1], "{trial}");
    trial.check_values(&result, &[1, 2, 3]);
    trial.check_that_nothing_is_left(&result);
}

#[test]
fn a_deleted_journal_leads_to_the_same_tokens() {
    let mut trial = killed_and_without(Workflow::Repeatable, &["journal.jsonl"]);
    let result = trial.finish();
    trial.check_that_each_happened_once();
    trial.check_values(&result, &[1, 2, 3]);
    trial.check_that_nothing_is_left(&result);
}

#[test]
fn a_deleted_journal_leads_to_a_question_for_every_effect_that_nobody_can_verify() {
    let mut trial = killed_and_without(Workflow::Doubtful, &["journal.jsonl"]);
    for asked in ["debit", "credit"] {
        let end = trial.start(Fate::Lives);
        assert_eq!(end.code(), Some(75), "{trial}: {}", end.stderr);
        assert!(end.stderr.contains(&format!("step `doubtful//{asked}` is in doubt")), "{trial}: {}", end.stderr);
    }
    let result = trial.finish();
    trial.check_that_each_happened_once();
    trial.check_values(&result, &[1, 2, 3]);
    trial.check_that_nothing_is_left(&result);
}

#[test]
fn a_deleted_journal_lets_nothing_new_start_before_what_it_knew_is_settled() {
    let mut trial = killed_and_without(Workflow::Mixed, &["journal.jsonl"]);
    let before = trial.ledger().entries();
    let end = trial.start(Fate::Lives);
    assert_eq!(end.code(), Some(75), "{trial}: {}", end.stderr);
    assert!(end.stderr.contains("step `mixed//rate`"), "{trial}: {}", end.stderr);
    assert!(end.stderr.contains("mixed//debit, mixed//credit"), "{trial}: {}", end.stderr);
    assert_eq!(trial.ledger().entries(), before, "{trial}: something ran");
}

#[test]
fn a_deleted_registry_is_made_anew_from_the_journal() {
    for workflow in Workflow::ALL.into_iter().filter(|workflow| workflow.steps()[1].1 != Kind::Read) {
        let mut trial = killed_and_without(workflow, &["idempotency.json"]);
        let undisturbed = if workflow == Workflow::Mixed { [1, 1, 2, 3].as_slice() } else { &[1, 2, 3] };
        trial.check_that_it_ends(undisturbed);
        trial.check_that_python_lists_the_registry();
    }
}

#[test]
fn deleted_views_are_made_anew_from_the_journal() {
    let mut trial = killed_and_without(Workflow::Verified, &["state.json", "handoff.md"]);
    trial.check_that_it_ends(&[1, 2, 3]);
    let notes = trial.files().records("note");
    assert!(
        notes.iter().any(|note| note["text"].as_str().is_some_and(|text| text.contains("no handoff"))),
        "{notes:?}"
    );
}

#[test]
fn without_both_witnesses_the_session_is_refused_and_left_as_it_is() {
    for workflow in [Workflow::Verified, Workflow::Repeatable, Workflow::Doubtful] {
        let mut trial = killed_and_without(workflow, &["journal.jsonl", "idempotency.json"]);
        let before = (trial.files().bytes(), trial.ledger().entries());
        let end = trial.start(Fate::Lives);
        assert_eq!(end.code(), Some(78), "{trial}: {}", end.stderr);
        assert!(end.stderr.contains("idempotency.json") && end.stderr.contains("journal.jsonl"), "{}", end.stderr);
        assert_eq!((trial.files().bytes(), trial.ledger().entries()), before, "{trial}: a refusal changed something");
    }
}

/// Whoever clears `*.json*` leaves the letter: what had begun nobody knows any more, and nothing is begun anew.
#[test]
fn a_session_of_which_only_the_letter_is_left_is_refused() {
    let mut trial = killed_and_without(Workflow::Verified, &["journal.jsonl", "idempotency.json", "state.json"]);
    let before = trial.files().bytes();
    let entries = trial.ledger().entries();
    let end = trial.start(Fate::Lives);
    assert_eq!(end.code(), Some(78), "{trial}: {}", end.stderr);
    assert!(end.stderr.contains("handoff.md shows that there was a session"), "{trial}: {}", end.stderr);
    assert_eq!(trial.ledger().entries(), entries, "{trial}: something ran");
    assert_eq!(trial.files().bytes(), before, "{trial}");
}
