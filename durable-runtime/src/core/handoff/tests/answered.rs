//! The letter of whoever has looked into the inbox, and that of a script.

use super::situations::asked;
use super::story::{RUN, Story, payroll, stored};
use crate::core::failure::FailureKind;
use crate::core::key;
use crate::core::meta::{Proof, StepKind};
use crate::core::record::{Done, ErrorResult, Failed, How, InDoubt, Reserve, Resolve};
use crate::core::word::{Says, Word};

fn doubtful() -> Story {
    let story = Story::payroll().pay(1).reserve("wire", "wire", Proof::Person, "treasury", "wire the rest").boot();
    story.asked("wire", "treasury", "the process ended before the attempt did")
}

fn word(step: &str, says: Says) -> Word {
    let (by, because) = ("ada".to_owned(), "bank statement".to_owned());
    Word { id: None, at: None, key: key::scoped(RUN, step), says, by, because }
}

fn happened() -> Says {
    Says::Resolve { attempt: None, happened: true, value: Some(stored(r#"{"tx":"tx-9"}"#)) }
}

#[test]
fn an_answer_that_lies_in_the_inbox_asks_for_a_start_and_for_no_person() {
    let letter = doubtful().with_inbox(vec![word("wire", happened())]);
    assert!(!letter.handoff().contains("ASK"), "{}", letter.handoff());
    letter!("answer_in_the_inbox", letter);
    let decided = Says::Answer { digest: None, value: stored("true") };
    let letter = asked().with_inbox(vec![word("summary", decided)]).handoff();
    assert!(letter.contains("1. START the worker") && letter.contains("An answer was given"), "{letter}");
}

/// Nobody has to look for what is known not to be there, nor takes what does not count for an answer.
#[test]
fn an_inbox_without_an_answer_to_it_leaves_the_question_as_it_is() {
    let empty = doubtful().with_inbox(Vec::new()).handoff();
    assert!(empty.contains("1. ASK treasury") && !empty.contains("inbox/"), "{empty}");
    let other = doubtful().with_inbox(vec![word("pay/001", happened())]).handoff();
    assert_eq!(other, empty);
    let unfit = Says::Answer { digest: None, value: stored("\"yes\"") };
    let letter = asked().with_inbox(vec![word("summary", unfit)]).handoff();
    assert!(letter.contains("1. ASK finance"), "{letter}");
}

/// The start takes it before anything else, so what the letter says of the work must hold behind it.
#[test]
fn a_word_in_the_inbox_that_gives_a_run_up_is_what_comes_next() {
    let cancel = |run: &str| Word { key: run.to_owned(), ..word("", Says::Cancel) };
    let repeated = || Story::payroll().reserve("summary", "summary", Proof::Idempotent, "board", "send the summary");
    letter!("cancelled_in_the_inbox", repeated().boot().with_inbox(vec![cancel(RUN)]));
    let letter = Story::payroll().pay(1).reserve_pay(2).with_inbox(vec![cancel(RUN)]).handoff();
    assert!(letter.contains("1. START the worker") && letter.contains("it is not run again"), "{letter}");
    assert!(!letter.contains("goes on in"), "{letter}");
    let letter = asked().with_inbox(vec![cancel(RUN)]).handoff();
    assert!(letter.contains("1. START the worker") && !letter.contains("ASK finance"), "{letter}");
    let inner = key::scoped(RUN, "welcome/7");
    let letter = Story::payroll().pay(1).run(&inner, payroll()).with_inbox(vec![cancel(&inner)]).handoff();
    assert!(
        letter.contains(&format!("CANCELS `{inner}`")) && letter.contains("goes on in `payroll/2026-09`"),
        "{letter}"
    );
}

/// A run that was given up before is not given up once more.
#[test]
fn a_word_that_gives_up_what_is_given_up_says_nothing() {
    let cancel = || Word { key: RUN.to_owned(), ..word("", Says::Cancel) };
    let letter = Story::payroll().pay(1).cancel(RUN).with_inbox(vec![cancel()]).handoff();
    assert!(!letter.contains("inbox/"), "{letter}");
}

/// The log does not know how late it is; whoever looks does.
#[test]
fn whoever_reads_the_letter_later_asks_nobody_what_silence_has_decided() {
    let story = asked().with_inbox(Vec::new());
    assert!(story.handoff().contains("1. ASK finance"), "{}", story.handoff());
    let letter = story.read_at("2026-09-13T08:06:41.000Z");
    assert!(letter.contains("1. START the worker") && letter.contains("`false` counts"), "{letter}");
    assert!(letter.contains("silence has decided") && !letter.contains("ASK"), "{letter}");
}

/// A step outside any run.
fn flat(gives: Option<&str>) -> Story {
    let key: std::sync::Arc<str> = "pay/81".into();
    Story::new().boot().tell(Reserve {
        run: "".into(),
        shape: "".into(),
        attempt: 1,
        token: Some(key::token(uuid::Uuid::from_u128(7), &key)),
        key,
        proof: if gives.is_some() { Proof::Person } else { Proof::Verify },
        ask: "treasury".into(),
        title: Some("pay $1 to \"Bob\"".into()),
        settle_ms: 30_000,
        within_ms: None,
        args: None,
        gives: gives.map(str::to_owned),
    })
}

#[test]
fn a_script_makes_its_call_again() {
    let (key, ask, why) = ("pay/81".to_owned(), "treasury".to_owned(), "exit code 7".to_owned());
    let doubt = InDoubt { key, attempt: 1, ask, why, gives: Some("ExitAndOutput".to_owned()) };
    letter!("in_doubt_once", flat(Some("ExitAndOutput")).tell(doubt).dormant());
    letter!("in_doubt_outside_a_run", flat(None).boot());
    let other = flat(Some("Receipt")).boot().handoff();
    assert!(!other.contains("durable once"), "{other}");
}

/// Only whoever makes the calls knows whether more of them are to come.
#[test]
fn a_script_that_was_ended_with_nothing_open_may_have_come_to_its_end() {
    let done = Done {
        key: "pay/81".into(),
        run: "".into(),
        shape: "".into(),
        kind: StepKind::SideEffect,
        how: How::Executed,
        attempt: 1,
        title: Some("pay $1 to \"Bob\"".into()),
        value: Some(stored(r#"{"exit":0,"stdout":"tx-81\n","stderr":""}"#)),
        unstorable: None,
        args: None,
        gives: None,
    };
    letter!("ended_once", flat(Some("ExitAndOutput")).tell(done).dormant());
}

/// What did not happen runs, but for a step that takes errors for results.
#[test]
fn the_word_that_a_step_did_not_happen_says_whether_it_runs() {
    let denied = |result: Option<ErrorResult>| {
        let story = Story::payroll().reserve("wire", "wire", Proof::Person, "treasury", "wire the rest");
        let (key, run, error) = (format!("{RUN}//wire"), RUN.to_owned(), "502".to_owned());
        let (kind, failure, retry_at) = (StepKind::SideEffect, FailureKind::Unknown, None);
        let payload = None;
        let failed =
            Failed { key: key.clone(), run, kind, attempt: 1, failure, error, payload, retry_at, spent: true, result };
        let story = story.tell(failed).asked("wire", "treasury", "502");
        let (by, because) = ("Grace".to_owned(), "bank statement".to_owned());
        story.tell(Resolve { key, attempt: 1, happened: false, value: None, by, because, word: None }).handoff()
    };
    let runs = denied(None);
    assert!(runs.contains("takes the answer that it did not happen, and runs."), "{runs}");
    let error = denied(Some(ErrorResult { shape: "wire".into(), title: None, code: None }));
    assert!(error.contains("that it did not happen, and does not run: its error is its result."), "{error}");
}
