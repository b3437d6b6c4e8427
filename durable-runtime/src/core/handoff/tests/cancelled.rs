//! The letter about a run that a person has given up.

use super::story::{RUN, Story, payroll};
use crate::core::failure::FailureKind;
use crate::core::meta::Proof;
use crate::core::outline::Outline;
use crate::core::record::{How, Resolve};

/// Pays, and pays back where that was given up.
fn cleans_up() -> Outline {
    let mut outline = payroll();
    outline.steps[2].key = "refund".into();
    outline.steps[2].shape = "refund".into();
    outline.steps[2].title = Some("pay back what was paid".into());
    outline.steps[2].cleanup = true;
    outline
}

fn started() -> Story {
    Story::new().boot().run(RUN, cleans_up()).pay(1)
}

fn refund(story: Story) -> Story {
    story.reserve("refund", "refund", Proof::Verify, "treasury", "pay back what was paid")
}

#[test]
fn a_run_that_nobody_wants_any_more_has_nothing_left_to_do() {
    letter!("cancelled", Story::payroll().pay(1).cancel(RUN).dormant());
    letter!("cancelled_and_over", Story::payroll().pay(1).cancel(RUN).boot().over(RUN).dormant());
}

/// What a person has decided is no error, and neither is what had gone wrong before.
#[test]
fn what_had_gone_wrong_in_it_is_nobodys_to_fix() {
    let story = Story::payroll().pay(1).reserve_pay(2).failed("pay/002", FailureKind::Rejected, "402: card declined");
    let letter = story.stopped(Some("payroll/2026-09//pay/002"), "402: card declined").cancel(RUN).dormant().handoff();
    assert!(!letter.contains("FIX") && !letter.contains("error stopped") && !letter.contains("tries"), "{letter}");
}

#[test]
fn a_run_that_cleans_up_is_started_for_that() {
    letter!("cancelled_to_clean_up", started().cancel(RUN).dormant());
    let refunded = refund(started().cancel(RUN).boot()).done("refund", How::Executed, Ok("1"));
    letter!("cancelled_and_cleaned_up", refunded.over(RUN).dormant());
    let finished = refund(started().cancel(RUN).boot()).done("refund", How::Executed, Ok("1")).end("0");
    letter!("cancelled_and_finished", finished.dormant());
}

/// An error that leaves the code before its branch that cleans up: no start does it any more.
#[test]
fn a_run_that_has_ended_before_it_cleaned_up_says_what_it_did_not_reach() {
    letter!("cancelled_and_not_cleaned_up", started().cancel(RUN).boot().over(RUN).dormant());
}

#[test]
fn a_run_that_failed_to_clean_up_is_tried_again() {
    let failed = refund(started().cancel(RUN).boot()).failed("refund", FailureKind::Rejected, "503: try later");
    letter!("cancelled_cleanup_failed", failed.stopped(Some("payroll/2026-09//refund"), "503: try later").dormant());
}

#[test]
fn to_cancel_closes_no_doubt() {
    letter!("cancelled_in_doubt_verifier", Story::payroll().pay(1).reserve_pay(2).cancel(RUN).boot());
    let repeated = Story::payroll().reserve("summary", "summary", Proof::Idempotent, "board", "send the summary");
    letter!("cancelled_in_doubt_idempotent", repeated.cancel(RUN).boot());
    let asked = Story::payroll().reserve("wire", "wire", Proof::Person, "treasury", "wire the rest").boot();
    let asked = asked.asked("wire", "treasury", "the process ended before the attempt did").cancel(RUN).dormant();
    letter!("cancelled_in_doubt_person", asked);
}

/// Nobody takes the answer any more: that it was given is enough.
#[test]
fn a_doubt_that_was_answered_is_nobodys_to_take() {
    let story = Story::payroll().reserve("wire", "wire", Proof::Person, "treasury", "wire the rest").boot();
    let (by, because) = ("Ada".to_owned(), "bank statement".to_owned());
    let word =
        Resolve { key: format!("{RUN}//wire"), attempt: 1, happened: true, value: None, by, because, word: None };
    let letter = story.cancel(RUN).tell(word).dormant().handoff();
    assert!(letter.contains("NOTHING is left to do"), "{letter}");
}

#[test]
fn the_run_around_one_that_was_given_up_goes_on() {
    let inner = format!("{RUN}//welcome/7");
    letter!("cancelled_inside", Story::payroll().pay(1).run(&inner, payroll()).cancel(&inner));
}

/// Not even the runs inside it are told apart, nor one that the run around it has left behind.
#[test]
fn only_the_run_that_was_given_up_is_told() {
    let inner = format!("{RUN}//welcome/7");
    let around = Story::payroll().run(&inner, payroll()).cancel(RUN).handoff();
    assert!(!around.contains("welcome"), "{around}");
    let left = Story::payroll().run(&inner, payroll()).cancel(&inner).end("0").dormant().handoff();
    assert!(
        left.contains("is finished. Starting the worker again gives") && !left.contains("`/7` : CANCELLED"),
        "{left}"
    );
}

#[test]
fn another_run_that_was_finished_since_is_the_last() {
    let mut other = payroll();
    other.name = "other".into();
    let story = Story::payroll().cancel(RUN).over(RUN).run("other", other);
    assert!(story.handoff().contains("goes on in `other`"), "{}", story.handoff());
    let end = crate::core::record::End { run: "other".into(), value: super::story::stored("1") };
    let letter = story.tell(end).dormant().handoff();
    assert!(letter.contains("NOTHING is left to do: the run `other` is finished"), "{letter}");
}
