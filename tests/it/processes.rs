//! Two processes and one session. The kernel's lock decides, and nothing else.

use std::fs;

use durable_tests::stage::{Fate, Moment, WAITING};
use durable_tests::workflows::Workflow;
use durable_tests::world::Act;

use crate::support::{End, Trial, Victim};

/// A trial whose first process stands still in the middle of its second effect.
fn held() -> (Trial, Victim) {
    let mut trial = Trial::new(Workflow::Verified);
    let mut holder = trial.begin(&trial.orders(Fate::WaitsAt(Moment::Applied, "credit".to_owned())));
    holder.wait_for(WAITING);
    (trial, holder)
}

fn assert_refused(end: &End, trial: &Trial, holder: &Victim) {
    assert_eq!(end.code(), Some(77), "{trial}: {}", end.stderr);
    let holder = format!("another process holds the session (process {})", holder.id());
    assert!(end.stderr.contains(&holder), "{trial}: {}", end.stderr);
}

#[test]
fn a_second_process_is_refused_at_once_and_finishes_once_the_first_is_gone() {
    let (mut trial, holder) = held();
    // The views may still follow what the holder did last; what decides does not change while it stands still.
    let deciding = |trial: &Trial| {
        let mut files = trial.files().bytes();
        files.retain(|name, _| ["journal.jsonl", "idempotency.json", "session.lock"].contains(&name.as_str()));
        files
    };
    let before = deciding(&trial);
    let second = trial.start(Fate::Lives);
    assert_refused(&second, &trial, &holder);
    assert_eq!(deciding(&trial), before, "{trial}: a refused process changed something");
    assert_eq!(trial.ledger().count(Act::Asked, "credit"), 0, "{trial}: a refused process asked the world");

    let killed = holder.kill();
    trial.ended(killed);
    trial.check_that_it_ends(&[1, 2, 3]);
}

// G03: a holder that gives no sign of life is not dead, and time proves nothing.
#[test]
fn a_holder_that_is_frozen_keeps_the_session_and_every_byte_of_it() {
    let (mut trial, mut holder) = held();
    holder.freeze();
    let before = trial.files().bytes();
    for _ in 0..3 {
        let other = trial.start(Fate::Lives);
        assert_refused(&other, &trial, &holder);
    }
    assert_eq!(trial.files().bytes(), before, "{trial}: a refused process changed something");

    holder.thaw();
    holder.let_go();
    let end = trial.ended(holder.end());
    assert_eq!(end.code(), Some(0), "{trial}: {}", end.stderr);
    trial.check_the_end(&[1, 2, 3], &[1, 2, 3]);
}

// G51: the process id in the state is a note for messages.
#[test]
fn a_live_process_id_in_the_note_does_not_hold_the_session() {
    let mut trial = Trial::new(Workflow::Verified);
    trial.die_at(Moment::Applied, "credit");
    let mut state = trial.files().state().expect("a booted session has a state");
    state.durable.pid = std::process::id();
    let text = serde_json::to_string(&state).expect("a state is plain data");
    fs::write(trial.files().path("state.json"), text).expect("the state can be written");

    let result = trial.finish();
    trial.check_the_end(&result, &[1, 2, 3]);
}
