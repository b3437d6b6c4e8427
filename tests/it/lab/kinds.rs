//! Every kind of step there is, disturbed everywhere.

use std::collections::BTreeMap;

use durable_runtime::prelude::*;
use durable_runtime::testing::{Effects, KillLab, LabVerdict};
use durable_tests::lab::{Bank, Stop, Subject};

fn holds(subject: Subject) {
    let report = subject.study(|lab| lab);
    report.assert_asks_only(subject.asks());
    assert_eq!(report.in_doubt().count(), subject.asks().len(), "{report}");
}

#[test]
fn steps_with_a_verifier_hold() {
    let report = Subject::Verified.study(|lab| lab);
    report.assert_held();
    insta::assert_snapshot!(report.table());
}

#[test]
fn idempotent_steps_hold() {
    holds(Subject::Repeatable);
}

#[test]
fn steps_of_which_only_a_person_can_tell_end_in_doubt_and_never_happen_twice() {
    let report = Subject::Doubtful.study(|lab| lab);
    assert_eq!(report.verdict(), LabVerdict::InDoubt, "{report}");
    report.assert_asks_only(Subject::Doubtful.asks());
}

#[test]
fn a_mixed_workflow_asks_only_about_the_step_that_nobody_can_look_up() {
    holds(Subject::Mixed);
}

#[test]
fn steps_that_run_side_by_side_hold_in_every_order_that_was_tried() {
    let report = Subject::SideBySide.study(|lab| lab);
    report.assert_held();
    assert!(report.not_covered().any(|text| text.contains("side by side")), "{report}");
}

/// Late requests of an earlier attempt too: each is verified before the next.
#[test]
fn steps_that_are_tried_again_in_one_start_hold() {
    holds(Subject::Persistent);
}

#[test]
fn errors_that_are_results_hold() {
    holds(Subject::Refused);
}

#[test]
fn a_value_that_is_kept_apart_holds() {
    // Large values take their time.
    Subject::Large.study(|lab| lab.states(60)).assert_held();
}

/// What a person has said of it holds through everything, and so does what cleans up.
#[test]
fn a_run_that_was_given_up_and_cleans_up_holds() {
    holds(Subject::GivenUp);
}

/// Also where runs stand inside it, and each has something to clean up.
#[test]
fn a_run_that_was_given_up_with_those_inside_it_holds() {
    holds(Subject::GivenUpInside);
}

/// Nor does anything but its end come of one of which something is missing.
#[test]
fn a_run_that_was_given_up_and_ends_without_a_result_holds() {
    holds(Subject::Abandoned);
}

/// What a finished run leaves out of the log, nobody misses: neither where a crash comes in the middle, nor where one of the
/// files is lost or damaged.
#[test]
fn a_log_that_is_shrunk_holds() {
    holds(Subject::Trimmed);
}

/// A kill between what is remembered and the next step loses nothing, and nothing is remembered twice.
#[test]
fn what_a_run_remembers_holds() {
    holds(Subject::Remembering);
}

/// A kill between a turn and its effect changes nothing of what the turn is for, nor of any turn after it.
#[test]
fn a_loop_at_a_pace_and_with_a_budget_holds() {
    holds(Subject::Rounds);
}

/// What is not kept is got again, wherever a crash comes, and never by doing it again.
#[test]
fn results_that_hold_a_secret_hold() {
    holds(Subject::Sealed);
}

/// Whoever is asked where the log is lost remembers values that JSON has no word for, and large ones.
#[test]
fn values_of_every_form_are_answered_as_they_were() {
    #[durable_workflow(goal = "read what is hard to write")]
    async fn forms(session: &Session, #[resource] bank: &Bank) -> Result<usize, Stop> {
        #[read(key = "map")]
        let map = BTreeMap::from([((1_u8, 2_u8), "x".to_owned())]);
        #[read(key = "page")]
        let page = vec![7_u8; 300_000];
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
        let paid = bank.pay(pay, 1).await?;
        Ok(map.len() + page.len() + usize::try_from(paid).unwrap_or(0))
    }
    KillLab::new("forms", Bank)
        .states(10)
        .damages(12)
        .run(async |session, bank| forms(session, bank).await)
        .assert_held();
}

/// A request that never arrived is an error, and the work goes another way: that is no fault.
#[test]
fn another_way_after_an_error_holds() {
    #[durable_workflow(goal = "pay, or say why not")]
    async fn either(session: &Session, #[resource] bank: &Bank) -> Result<String, Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await, settle = "1s", errors = "recorded")]
        let paid = bank.pay(pay, 1).await;
        match paid {
            Ok(receipt) => Ok(format!("paid {receipt}")),
            Err(error) => {
                #[side_effect(key = "tell" as tell, idempotent)]
                bank.0.apply_once(tell.token(), || ()).await?;
                Ok(format!("not paid: {}", error.message()))
            }
        }
    }
    KillLab::new("either", Bank).states(100).run(async |session, bank| either(session, bank).await).assert_held();
}

/// G19, G20: whatever the first start has recorded, the second goes on with it under other names.
#[test]
fn steps_that_are_renamed_between_two_starts_hold() {
    holds(Subject::Renamed);
}

/// What goes on from all of them is done once, with what all of them gave.
#[test]
fn runs_whose_errors_are_for_later_hold() {
    holds(Subject::Later);
}

#[test]
fn a_run_inside_a_run_holds() {
    holds(Subject::Nested);
}

#[test]
fn sleeps_and_decisions_hold() {
    holds(Subject::Waiting);
}

#[test]
fn words_that_are_left_for_a_decision_hold() {
    holds(Subject::Posted);
}

#[test]
fn two_sessions_of_one_process_hold() {
    holds(Subject::TwoSessions);
}

/// Also where the files of a session are damaged that has recovered before.
#[test]
fn a_lab_of_one_crash_lets_no_second_befall_a_story() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] bank: &Effects) -> anyhow::Result<u64> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay))]
        let paid = bank.apply(pay, || 7_u64).await?;
        Ok(paid)
    }
    let most = std::sync::atomic::AtomicU64::new(0);
    let lab = KillLab::new("one crash", |effects| effects).depth(1).damages(30);
    let report = lab.run(async |session: &Session, bank: &Effects| {
        most.fetch_max(session.iteration(), std::sync::atomic::Ordering::Relaxed);
        pay(session, bank).await
    });
    report.assert_held();
    // One that is killed, one that ends, and one that has nothing to do.
    assert_eq!(most.into_inner(), 3);
}

/// The letter names five of them, and says how many more there are.
#[test]
fn more_steps_side_by_side_than_a_handoff_names_mislead_nobody() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] bank: &Effects) -> anyhow::Result<usize> {
        let paid = durable_runtime::each(0..7_u32, 7, |n| async move {
            #[side_effect(key = "pay/{n}" as pay, verify = bank.find(pay))]
            let paid = bank.apply(pay, || n).await?;
            anyhow::Ok(paid)
        });
        Ok(paid.await?.len())
    }
    let lab = KillLab::new("many", |effects| effects).forks().states(20).orders(1).depth(1).damages(0);
    lab.run(async |session: &Session, bank: &Effects| pay(session, bank).await).assert_held();
}
