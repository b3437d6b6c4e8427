//! How a session of a script stands, for whoever is on call.

use serde_json::Value;

use crate::place::{Place, code, out, told};

/// The word of `durable status`, and its exit code.
fn standing(place: &Place) -> (String, i32) {
    let status = place.durable(["status", "--json"]);
    let answer: Value = serde_json::from_slice(&status.stdout).unwrap_or_else(|_| panic!("no JSON: {}", told(&status)));
    (answer["sessions"][0]["standing"].as_str().unwrap().to_owned(), code(&status))
}

fn is(word: &str, exit: i32) -> (String, i32) {
    (word.to_owned(), exit)
}

#[test]
fn a_step_that_was_rejected_is_work_that_is_left() {
    let place = Place::booted();
    assert_eq!(code(&place.once("pay/1", &["--in-doubt", "ada", "--rejected", "3"], "exit 3")), 3);
    assert_eq!(standing(&place), is("stopped", 1));
    place.durable(["end"]);
    assert_eq!(standing(&place), is("stopped", 1));
    let listed = out(&place.durable(["status", "--unfinished", "s", "nowhere"]));
    assert!(listed.contains("stopped     s "), "{listed}");
}

#[test]
fn an_error_that_nothing_came_after_is_no_end() {
    let place = Place::booted();
    place.once("pay/1", &["--idempotent"], "true");
    assert_eq!(code(&place.once("pay/1", &["--idempotent"], "echo other")), 76);
    assert_eq!(standing(&place), is("stopped", 1));
    assert_eq!(code(&place.once("pay/1", &["--idempotent"], "true")), 0);
    place.durable(["end"]);
    assert_eq!(standing(&place), is("finished", 0));
}

#[test]
fn a_script_that_nobody_has_ended_may_have_died_between_two_steps() {
    let place = Place::booted();
    place.once("pay/1", &["--idempotent"], "true");
    assert_eq!(standing(&place), is("interrupted", 1));
    let status = out(&place.durable(["status"]));
    assert!(status.contains("nobody has ended it") && status.contains("if all is done, `durable end`"), "{status}");
    assert_eq!(code(&place.durable(["end"])), 0);
    assert_eq!(standing(&place), is("finished", 0));
    assert_eq!(code(&place.durable(["watch"])), 0);
}
