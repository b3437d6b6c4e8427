//! The letter of work that waits for an instant.

use super::story::{RUN, Story};
use crate::core::failure::FailureKind;
use crate::core::meta::StepKind;
use crate::core::record::{Absent, Failed, Stopped, Wait};
use crate::core::time::Timestamp;

#[test]
fn a_sleep_says_until_when() {
    let (key, run) = (format!("{RUN}//wire"), RUN.to_owned());
    let (shape, title) = ("wire".to_owned(), Some("let the bank open".to_owned()));
    let until = Timestamp::from_millis(1_789_286_740_000);
    let why = "sleep".to_owned();
    letter!("asleep", Story::payroll().pay(1).tell(Wait { key, run, shape, title, until, why }).dormant());
}

#[test]
fn a_step_that_is_tried_again_later_says_when_and_why() {
    let (key, by, retry_at) =
        (format!("{RUN}//pay/002"), "verifier".into(), Timestamp::parse("2026-09-13T08:05:40.000Z"));
    let failed = Failed {
        run: RUN.into(),
        key: key.clone(),
        kind: StepKind::SideEffect,
        attempt: 1,
        failure: FailureKind::Unknown,
        error: "503: try later".into(),
        payload: None,
        retry_at: None,
        spent: false,
        result: None,
    };
    let failed = Story::payroll().pay(1).reserve_pay(2).tell(failed);
    let absent = failed.tell(Absent { key: key.clone(), attempt: 1, by, retry_at, spent: false });
    let error = format!("step `{key}` waits until 2026-09-13T08:05:40.000Z, when it is tried again");
    let (run, key, missed) = (RUN.into(), Some(key), vec![]);
    let waits = Stopped { run, key, error, waits: true, cancelled: false, missed, origin: None };
    letter!("tried_again_later", absent.tell(waits).dormant());
}
