//! What is told of one step is not taken for another, nor told of one step twice.

use super::story::{RUN, Story};
use crate::core::failure::FailureKind;
use crate::core::meta::Proof;
use crate::core::record::How;

/// A letter that says to fix the error above has that above, also where a doubt about another step has the same words.
#[test]
fn an_error_in_the_words_of_another_doubt_is_told_too() {
    let code = "it ended with exit code 1";
    let doubtful = Story::payroll().reserve_pay(1).failed("pay/001", FailureKind::Unknown, code);
    let stopped = doubtful.reserve_pay(2).failed("pay/002", FailureKind::Rejected, code);
    let letter = stopped.stopped(Some(&format!("{RUN}//pay/002")), code).dormant().handoff();
    for told in
        ["- Error at `payroll/2026-09//pay/002`: `it ended", "- Started, outcome not known: `payroll/2026-09//pay/001`"]
    {
        assert!(letter.contains(told), "{told}: {letter}");
    }
}

/// The person is the one whom the step names, and no key is both lost and kept.
#[test]
fn a_result_that_was_not_kept_is_asked_of_the_one_whom_the_step_names_and_listed_once() {
    let (withheld, lost) = (r#"{"$withheld":{"holds":"a GitHub token"}}"#, "nothing can give it again");
    let story = Story::payroll().reserve("wire", "wire", Proof::Person, "the bank", "wire the rest");
    let story = story.done("wire", How::Executed, Ok(withheld)).pay(1).boot().done("wire", How::Executed, Err(lost));
    let asks = story.handoff();
    assert!(asks.contains("1. ASK the bank what `payroll/2026-09//wire`"), "{asks}");
    assert!(
        asks.contains("- 1 step has its result and must never be run again: `payroll/2026-09//pay/001`."),
        "{asks}"
    );
    let given = story.done("wire", How::Resolved, Ok("1")).handoff();
    assert_eq!(
        given.rsplit("never be run again").next().map(|keys| keys.matches("//wire`").count()),
        Some(1),
        "{given}"
    );
}
