//! What a fresh process does with what a killed one left.

use durable_tests::orders::Orders;
use durable_tests::stage::{Fate, Moment};
use durable_tests::workflows::Workflow;
use durable_tests::world::Act;

use crate::support::Trial;

/// How the journal knows the result of a step.
fn how(trial: &Trial, key: &str) -> String {
    let records = trial.files().records_of(&trial.workflow.full_key(key));
    let done = records.iter().find(|record| record["action"] == "done");
    done.and_then(|done| done["how"].as_str()).unwrap_or("not at all").to_owned()
}

// G01: the world accepted, and its answer was not recorded.
#[test]
fn an_applied_effect_is_verified_once_and_not_executed_again() {
    let mut trial = Trial::new(Workflow::Verified);
    trial.die_at(Moment::Applied, "credit");
    let result = trial.finish();
    assert_eq!(trial.ledger().count(Act::Asked, "credit"), 1, "{trial}");
    assert_eq!(trial.ledger().count(Act::Called, "credit"), 1, "{trial}");
    assert_eq!(["debit", "credit", "mail"].map(|key| how(&trial, key)), ["executed", "verified", "executed"]);
    trial.check_the_end(&result, &[1, 2, 3]);
}

// G09: no time limit ends a doubt that only a person can end.
#[test]
fn a_doubt_without_a_verifier_stays_until_a_person_says_that_nothing_happened() {
    let mut trial = Trial::new(Workflow::Doubtful);
    trial.die_at(Moment::Called, "credit");
    for _ in 0..3 {
        let end = trial.obey(&trial.orders(Fate::Lives));
        assert_eq!(end.code(), Some(75), "{trial}: {}", end.stderr);
        assert!(end.stderr.contains("step `doubtful//credit` is in doubt"), "{trial}: {}", end.stderr);
        let last = end.stderr.lines().last().unwrap_or_default();
        let told = ["in doubt (exit code 75): step `doubtful//credit` is", "session.resolve(\"doubtful//credit\")"];
        assert!(told.iter().all(|text| last.contains(text)), "{trial}: {}", end.stderr);
        assert_eq!(trial.ledger().count(Act::Called, "credit"), 1, "{trial}: it ran without a word");
        assert_eq!(trial.ledger().count(Act::Called, "mail"), 0, "{trial}: it was skipped");
    }
    // The test now answers, by what the world's file says.
    let result = trial.finish();
    assert_eq!(trial.ledger().count(Act::Called, "credit"), 2, "{trial}");
    assert_eq!(how(&trial, "credit"), "executed");
    trial.check_the_end(&result, &[1, 2, 3]);
}

#[test]
fn a_person_who_says_that_it_happened_supplies_the_result() {
    let mut trial = Trial::new(Workflow::Doubtful);
    trial.die_at(Moment::Applied, "credit");
    let end = trial.start(Fate::Lives);
    assert_eq!(end.code(), Some(75), "{trial}: {}", end.stderr);
    let result = trial.finish();
    assert_eq!(trial.ledger().count(Act::Called, "credit"), 1, "{trial}");
    assert_eq!(how(&trial, "credit"), "resolved");
    trial.check_the_end(&result, &[1, 2, 3]);
}

// G10: reserved is not done.
#[test]
fn an_effect_that_was_reserved_and_never_called_is_called() {
    let mut trial = Trial::new(Workflow::Verified);
    trial.die_at(Moment::Reserved, "credit");
    assert_eq!(trial.ledger().count(Act::Called, "credit"), 0, "{trial}");
    assert!(trial.files().reserved().contains("verified//credit"), "{trial}");
    let result = trial.finish();
    assert_eq!(trial.ledger().count(Act::Called, "credit"), 1, "{trial}");
    assert_eq!(how(&trial, "credit"), "executed");
    trial.check_the_end(&result, &[1, 2, 3]);
}

// G11: a verifier that fails has said nothing.
#[test]
fn a_failing_verifier_keeps_the_doubt_and_a_working_one_ends_it() {
    let mut trial = Trial::new(Workflow::Verified);
    trial.die_at(Moment::Applied, "credit");
    for _ in 0..2 {
        let end = trial.obey(&Orders { world_is_down: true, ..trial.orders(Fate::Lives) });
        assert_eq!(end.code(), Some(75), "{trial}: {}", end.stderr);
        assert!(end.stderr.contains("verify failed: the world is down"), "{trial}: {}", end.stderr);
        assert_eq!(trial.ledger().count(Act::Called, "credit"), 1, "{trial}: it was run again");
        assert_eq!(how(&trial, "credit"), "not at all");
        trial.check_what_the_kill_left();
    }
    let end = trial.obey(&trial.orders(Fate::Lives));
    assert_eq!(end.code(), Some(0), "{trial}: {}", end.stderr);
    assert_eq!(how(&trial, "credit"), "verified");
    trial.check_the_end(&[1, 2, 3], &[1, 2, 3]);
}

// G13: killed between two steps, when one is recorded and the next is not reserved.
#[test]
fn g13_a_run_between_two_steps_is_led_to_the_next_one_and_goes_on() {
    let mut trial = Trial::new(Workflow::Verified);
    trial.die_at(Moment::Recorded, "credit");
    assert!(!trial.files().reserved().contains("verified//mail"), "{trial}");

    let booted = trial.obey(&Orders { workflow: None, ..trial.orders(Fate::Lives) });
    assert_eq!(booted.code(), Some(1), "the run is not finished: {trial}: {}", booted.stderr);
    let next = trial.files().section("Next action");
    assert!(next[0].contains("START") && next[0].contains(" with `mail`"), "{trial}: {next:?}");

    let result = trial.finish();
    assert_eq!(["debit", "credit", "mail"].map(|key| trial.ledger().count(Act::Called, key)), [1, 1, 1], "{trial}");
    assert_eq!(trial.files().records("absent").len(), 0, "{trial}: nothing was in doubt");
    trial.check_the_end(&result, &[1, 2, 3]);
}

#[test]
fn a_finished_run_gives_its_result_again_and_runs_nothing_and_says_so() {
    for workflow in Workflow::ALL {
        let mut trial = Trial::new(workflow);
        let result = trial.finish();
        let before = trial.ledger().entries();
        let again = trial.start(Fate::Lives);
        assert_eq!((again.code(), again.result()), (Some(0), Some(&*result)), "{trial}: {}", again.stderr);
        assert_eq!(trial.ledger().entries(), before, "{trial}: it ran something");
        let warns =
            |line: &str| line.starts_with("WARN") && line.contains("finished") && line.contains(workflow.name());
        assert!(again.stderr.lines().any(warns), "{trial}: {}", again.stderr);
    }
}
