//! Words of people: left, taken, refused, and never said by mistake.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::time::Duration;

use durable_runtime::Session;

use crate::support::{Ran, World};
use crate::workflows::{guess, log_in, once, paint, ring, say, send, wire};

const SIGNED: [&str; 4] = ["--by", "ada", "--because", "it is in the book"];

/// How long the command looks after its word where a worker is sure to take it.
const LONG: [&str; 2] = ["--wait", "30s"];

fn said(world: &World, args: &[&str]) -> Ran {
    world.durable(&[args, &SIGNED].concat())
}

fn inbox(world: &World) -> usize {
    std::fs::read_dir(world.path("session/inbox")).map_or(0, Iterator::count)
}

/// Lets the command speak while the workers of this process go on.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

fn world() -> (std::sync::Arc<World>, PathBuf) {
    let world = World::with(&[]);
    let dir = world.path("session");
    (std::sync::Arc::new(world), dir)
}

#[tokio::test]
async fn where_nobody_holds_the_session_the_next_start_takes_the_word() {
    let (world, dir) = world();
    once(&dir, wire).await.unwrap_err();
    let told = said(&world, &["resolve", "wire//wire", "--happened", "--value", "7"]).done();
    assert!(
        told.starts_with(
            "wire//wire (wire the rest)\n  is        a side effect\n  stands    in doubt, asks treasury\n"
        ),
        "{told}"
    );
    assert!(told.contains("The word is left.") && told.contains("Start the worker"), "{told}");
    let status = world.durable(&["status"]);
    assert!(status.out.contains("of ada about wire//wire: no worker has taken it yet"), "{status:?}");
    assert_eq!(once(&dir, wire).await.unwrap(), 7);
    assert_eq!((inbox(&world), world.durable(&["status"]).code), (0, 0));
}

#[tokio::test]
async fn what_did_not_happen_is_run_again() {
    let (world, dir) = world();
    once(&dir, ring).await.unwrap_err();
    said(&world, &["resolve", "ring//ring", "--did-not-happen"]).done();
    once(&dir, ring).await.unwrap_err();
    let show = world.durable(&["show", "ring//ring"]).done();
    assert!(show.contains("  attempt   2"), "{show}");
    said(&world, &["resolve", "ring//ring", "--happened", "--attempt", "2"]).done();
    once(&dir, ring).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_waits_takes_an_answer_and_the_command_says_so() {
    let (world, dir) = world();
    let session = Session::open(&dir).await.unwrap();
    let worker = tokio::spawn(async move { (send(&session).await, session).0.unwrap() });
    asked(&world, "send//send").await;
    let there = world.clone();
    let told = aside(move || said(&there, &[&["decide", "send//send", "approve"], &LONG[..]].concat()).done()).await;
    assert!(
        told.contains("  shows     3") && told.ends_with("A worker has taken the word, and it counts.\n"),
        "{told}"
    );
    assert_eq!(worker.await.unwrap(), "approved by ada: it is in the book");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_about_an_effect_waits_in_the_log_for_the_step_that_reads_it() {
    let (world, dir) = world();
    let session = Session::open(&dir).await.unwrap();
    let worker = tokio::spawn(async move {
        wire(&session).await.unwrap_err();
        send(&session).await.unwrap()
    });
    asked(&world, "send//send").await;
    let there = world.clone();
    let told = aside(move || {
        let told = said(&there, &["resolve", "wire//wire", "--happened", "--value", "7", "--wait", "5s"]).done();
        said(&there, &["decide", "send//send", "decline"]).done();
        told
    });
    let told = told.await;
    assert!(told.contains("A worker has taken the word, and the step reads it when"), "{told}");
    assert_eq!(worker.await.unwrap(), "declined by ada: it is in the book");
    assert_eq!(once(&dir, wire).await.unwrap(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_that_is_no_answer_is_told_as_refused_with_the_reason() {
    let (world, dir) = world();
    let session = Session::open(&dir).await.unwrap();
    let worker = tokio::spawn(async move { paint(&session).await.unwrap() });
    asked(&world, "paint//color").await;
    let there = world.clone();
    let refused = aside(move || said(&there, &[&["decide", "paint//color", "\"green\""], &LONG[..]].concat())).await;
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.out.contains("it does not count: ") && refused.out.contains("`Color`"), "{refused:?}");
    let there = world.clone();
    let json =
        aside(move || said(&there, &[&["decide", "paint//color", "\"blue\"", "--json"], &LONG[..]].concat())).await;
    assert_eq!((json.code, json.json()["fate"].as_str()), (0, Some("counts")), "{json:?}");
    assert_eq!(worker.await.unwrap(), "Blue");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_given_up_while_a_worker_waits_in_it() {
    let (world, dir) = world();
    let session = Session::open(&dir).await.unwrap();
    let worker = tokio::spawn(async move { send(&session).await.unwrap_err().is_cancelled() });
    asked(&world, "send//send").await;
    let there = world.clone();
    let told = aside(move || said(&there, &[&["cancel", "send"], &LONG[..]].concat()).done()).await;
    assert!(told.starts_with("send\n  is        a run of send\n") && told.ends_with("and it counts.\n"), "{told}");
    assert!(worker.await.unwrap());
    assert_eq!(world.durable(&["status"]).code, 80);
}

#[tokio::test]
async fn the_letter_tells_of_a_word_that_gives_a_run_up_and_that_nobody_has_taken() {
    let (world, dir) = world();
    once(&dir, send).await.unwrap_err();
    said(&world, &["cancel", "send"]).done();
    let letter = world.durable(&["handoff"]).done();
    assert!(letter.contains("A word of `ada` waits in `inbox/` that CANCELS `send`: "), "{letter}");
    assert!(!letter.contains("ASK") && !letter.contains("goes on in"), "{letter}");
    let status = world.durable(&["status"]).told();
    assert!(status.contains("next      START the worker again: a word of `ada` waits in `inbox/`"), "{status}");
    once(&dir, send).await.unwrap_err();
    let letter = world.durable(&["handoff"]).done();
    assert!(!letter.contains("inbox/") && letter.contains("CANCELLED"), "{letter}");
}

/// The log was written in time; whoever looks is late.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_what_silence_has_decided() {
    let (world, dir) = world();
    let session = Session::open(&dir).await.unwrap();
    let worker = tokio::spawn(async move { guess(&session).await });
    asked(&world, "guess//sum").await;
    worker.abort();
    worker.await.unwrap_err();
    let status = loop {
        let status = world.durable(&["status"]).told();
        if !status.contains("\n  asks ") {
            break status;
        }
    };
    assert!(
        status.contains("next      START the worker again if none is running: the time to decide `guess//sum`"),
        "{status}"
    );
    let list = world.durable(&["status", "."]).told();
    assert!(list.contains("start the worker: what it has waited for is over"), "{list}");
    let late = said(&world, &["decide", "guess//sum", "3"]).refused(1);
    assert!(late.contains("start the worker, which takes what counts without one"), "{late}");
    assert_eq!(once(&dir, guess).await.unwrap(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_watches_sees_how_it_stands_what_comes_and_how_it_ends() {
    let (world, dir) = world();
    let session = Session::open(&dir).await.unwrap();
    let worker = tokio::spawn(async move {
        send(&session).await.unwrap();
        session.close().await.unwrap();
    });
    asked(&world, "send//send").await;
    let mut watch = world.piped(&["watch", "--every", "50ms"]);
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);
    let first = aside(move || (lines.next().unwrap(), lines));
    let (first, lines) = first.await;
    assert!(first.contains(": WAITING (worker: "), "{first}");
    let there = world.clone();
    let (rest, code) = aside(move || {
        said(&there, &["decide", "send//send", "approve"]).done();
        (lines.collect::<Vec<_>>(), watch.wait().unwrap().code())
    })
    .await;
    worker.await.unwrap();
    let at =
        |text: &str| rest.iter().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}: {rest:?}"));
    assert!(at(" answer ") < at(" dormant") && at(" dormant") < at(": FINISHED"), "{rest:?}");
    assert_eq!(code, Some(0));
}

/// Waits until the worker asks.
async fn asked(world: &std::sync::Arc<World>, key: &'static str) {
    let dir = world.path("session");
    loop {
        let seen = durable_runtime::inspect(&dir).look().await;
        if seen.is_ok_and(|seen| seen.state().questions.contains_key(key)) {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_text_needs_quotes_where_something_else_can_be_meant() {
    let (world, dir) = world();
    once(&dir, say).await.unwrap_err();
    for value in ["42", "true", "{x", ""] {
        let error = said(&world, &["decide", "say//words", value]).refused(2);
        assert!(error.contains("with both kinds of quotes"), "{error}");
    }
    assert_eq!(inbox(&world), 0);
    said(&world, &["decide", "say//words", "it's a 'fine' day"]).done();
    assert_eq!(once(&dir, say).await.unwrap(), "it's a 'fine' day");
}

#[tokio::test]
async fn what_a_step_gives_is_asked_for_and_a_wrong_type_is_refused_before_anything_is_left() {
    let (world, dir) = world();
    let both = async |session: &Session| {
        wire(session).await.unwrap_err();
        send(session).await
    };
    once(&dir, both).await.unwrap_err();
    for (args, code, wanted) in [
        (&["resolve", "wire//wire", "--happened"][..], 2, "gives a `u32`: say what it gave, with `--value`"),
        (&["resolve", "wire//wire", "--happened", "--value", "\"7\""], 1, "`u32` is asked for, and it gives `\"7\"`"),
        (&["resolve", "wire//wire", "--happened", "--value", "seven"], 2, "is no JSON"),
        (
            &["resolve", "send//send", "--did-not-happen"],
            2,
            "`durable decide send//send approve --by WHO --because WHY`",
        ),
        (&["decide", "wire//wire", "approve"], 2, "`durable resolve wire//wire --happened --value RESULT --by"),
        (&["decide", "send//send", "yes"], 2, "`approve` or `decline`, not with `yes`"),
        (
            &["resolve", "wire//wire", "--did-not-happen", "--attempt", "9"],
            1,
            "it is about attempt 9, and the newest is",
        ),
        (&["resolve", "wire//wire", "--did-not-happen", "--happened"], 2, "cannot be used with"),
        (&["resolve", "wire//wire"], 2, "required"),
    ] {
        let error = said(&world, args).refused(code);
        assert!(error.contains(wanted), "{args:?}: {error}");
    }
    for signed in
        [["--by", " ", "--because", "x"], ["--by", "WHO", "--because", "x"], ["--by", "a", "--because", "WHY"]]
    {
        let args = [&["resolve", "wire//wire", "--did-not-happen"], &signed[..]].concat();
        world.durable(&args).refused(2);
    }
    assert_eq!(inbox(&world), 0);
}

#[tokio::test]
async fn whoever_says_something_else_is_told_who_has_spoken() {
    let (world, dir) = world();
    once(&dir, send).await.unwrap_err();
    said(&world, &["decide", "send//send", "approve"]).done();
    said(&world, &["decide", "send//send", "approve"]).done();
    let other = ["decide", "send//send", "decline", "--by", "bob", "--because", "no"];
    let error = world.durable(&other).refused(1);
    assert!(error.contains("ada has said something else before"), "{error}");
    assert_eq!(once(&dir, send).await.unwrap(), "approved by ada: it is in the book");
    let error = world.durable(&other).refused(1);
    assert!(error.contains("its run is finished, and that is final"), "{error}");
}

#[tokio::test]
async fn a_number_keeps_every_digit() {
    let (world, dir) = world();
    let long = "340282366920938463463374607431768211455";
    let big = async |session: &Session| {
        let step = session.side_effect("big").in_doubt("ada");
        step.run(async |_| Err::<u128, _>(anyhow::anyhow!("no answer"))).await
    };
    once(&dir, big).await.unwrap_err();
    said(&world, &["resolve", "big", "--happened", "--value", long]).done();
    assert_eq!(once(&dir, big).await.unwrap(), u128::MAX);
}

#[test]
fn of_a_step_of_which_the_log_does_not_know_what_it_gives_that_is_asked_for() {
    let (world, _) = world();
    world.copy("asked", "session");
    let error = said(&world, &["resolve", "letter//post", "--happened"]).refused(2);
    assert!(
        error.contains("nothing is recorded of what `letter//post` gives") && error.contains("--value null"),
        "{error}"
    );
    assert_eq!(inbox(&world), 0);
}

/// No value would make it count.
#[test]
fn of_what_nobody_asks_about_no_value_is_asked_for() {
    let (world, _) = world();
    world.durable(&["boot", "--goal", "pay"]).done();
    world.durable(&["once", "--key", "pay/81", "--idempotent", "--", "true"]).done();
    let error = said(&world, &["resolve", "pay/81", "--happened"]).refused(1);
    assert!(error.contains("it is known that it happened") && !error.contains("--value"), "{error}");
}

#[tokio::test]
async fn a_command_of_a_script_is_refused_in_the_session_of_a_workflow_unless_that_is_meant() {
    let (world, dir) = world();
    once(&dir, ring).await.unwrap_err();
    let effect = ["--key", "k", "--idempotent", "--goal", "ring", "--", "touch", "happened"];
    let calls = [&[&["once"], &effect[..]].concat()[..], &["boot"], &["note", "a", "b"], &["checkpoint", "x"]];
    let before = std::fs::read(world.path("session/journal.jsonl")).unwrap();
    for args in calls {
        let error = world.durable(args).refused(1);
        assert!(error.contains("is that of workflow `ring` (run `ring`)") && error.contains("--join"), "{error}");
    }
    assert_eq!(std::fs::read(world.path("session/journal.jsonl")).unwrap(), before);
    assert!(!world.path("happened").exists());
    world.durable(&["note", "a", "b", "--goal"]).refused(2);
    world.durable(&[&["once", "--join"], &effect[..]].concat()).done();
    assert!(world.path("happened").exists());
}

#[test]
fn waiting_is_bounded() {
    let (world, _) = world();
    world.copy("asked", "session");
    let wait = Duration::from_millis(100);
    let args =
        ["resolve", "letter//post", "--happened", "--value", "null", "--wait", &format!("{}ms", wait.as_millis())];
    assert!(said(&world, &args).done().contains("The word is left"));
}

/// Nothing else tells why a later start has to get it anew.
#[tokio::test]
async fn show_says_that_a_result_was_not_kept() {
    let (world, dir) = world();
    once(&dir, log_in).await.unwrap_err();
    let shown = world.durable(&["show", "log_in//login"]).done();
    assert!(shown.contains("\n  result    not kept, since it holds what looks like a secret\n"), "{shown}");
}
