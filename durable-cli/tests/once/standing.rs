//! How a session of a script stands, for whoever is on call.

use serde_json::Value;

use crate::place::{Place, code, err, out, told};

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
fn a_session_that_was_begun_and_has_no_step_is_work_to_come_until_it_is_ended() {
    let place = Place::booted();
    let listed = |place: &Place| out(&place.durable(["status", "--unfinished", "s", "s"]));
    assert!(listed(&place).contains("empty       s  it was begun, nobody has ended it"), "{}", listed(&place));
    place.durable(["end"]);
    assert_eq!(listed(&place), "2 sessions: 2 empty\n");
}

#[test]
fn a_refusal_has_an_outcome_for_programs() {
    let place = Place::booted();
    let refused = |args: &[&str]| {
        let output = place.durable([&["--json"], args].concat());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (code(&output), answer["outcome"].as_str().unwrap().to_owned())
    };
    let once = ["--key", "k", "--idempotent", "--", "true"];
    assert_eq!(refused(&[&["once", "--goal", "another"], &once[..]].concat()), (1, "stopped".to_owned()));
    assert_eq!(refused(&["once", "--nonsense"]), (2, "not_understood".to_owned()));
    place.shell("cp -r s copy && rm -r s && mv copy s").status().unwrap();
    assert_eq!(refused(&[&["once"], &once[..]].concat()), (78, "damaged".to_owned()));
}

#[test]
fn what_is_to_be_started_again_for_a_word_is_the_call() {
    let place = Place::booted();
    assert_eq!(code(&place.once("k", &["--in-doubt", "ada"], "exit 4")), 75);
    let signed = ["--by", "ada", "--because", "it is not in the book"];
    let said = out(&place.durable([&["resolve", "k", "--did-not-happen"], &signed[..]].concat()));
    assert!(said.contains("the same `durable once` call takes it") && !said.contains("worker"), "{said}");
}

/// Nobody is called for what the verifier may know by now.
#[test]
fn a_doubt_with_a_verifier_may_end_with_another_start() {
    let place = Place::booted();
    assert_eq!(code(&place.once("k", &["--verify", "exit 5", "--settle", "0s"], "exit 4")), 75);
    for status in [&["status"][..], &["status", "."]] {
        let status = out(&place.durable(status));
        assert!(status.contains("operator whether k happened, unless another start finds out"), "{status}");
    }
}

#[test]
fn a_handoff_that_could_not_be_written_is_told_once() {
    let place = Place::booted();
    let once = place.once("pay/1", &["--idempotent"], "mkdir s/handoff.md.tmp");
    let said = err(&once);
    assert_eq!((code(&once), said.matches("could not be written").count()), (0, 1), "{}", told(&once));
    assert!(
        said.starts_with("durable: `handoff.md` of session") && said.contains("`durable handoff` prints"),
        "{said}"
    );
    std::fs::remove_dir(place.file("s/handoff.md.tmp")).unwrap();
    assert_eq!(err(&place.durable(["checkpoint", "there is room again"])), "");
    assert!(place.read("s/handoff.md").contains("pay/1"));
}

/// The disk is full when the end of the command is to be recorded: a code of the command would be a proof that nobody has.
#[test]
fn a_command_whose_end_could_not_be_recorded_is_in_doubt() {
    let place = Place::booted();
    let act = "echo >> happened; head -c 20000 /dev/zero | tr '\\0' x";
    let script = format!(r#"trap '' XFSZ; ulimit -f 8; durable once --json --key k --in-doubt ada -- sh -c "{act}""#);
    let call = place.shell(&script).output().unwrap();
    assert!(err(&call).contains("may have happened, but its result could not be recorded"), "{}", told(&call));
    let answer: Value = serde_json::from_slice(&call.stdout).unwrap();
    assert_eq!((code(&call), answer["outcome"].as_str()), (75, Some("in_doubt")));
    assert_eq!(place.read("happened").lines().count(), 1);
    let again = place.durable(["once", "--key", "k", "--in-doubt", "ada", "--", "sh", "-c", act]);
    assert_eq!((code(&again), place.read("happened").lines().count()), (75, 1), "{}", told(&again));
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
    let status = out(&place.durable(["status"]));
    assert!(status.contains("next      NOTHING is open. If the worker, or the script that calls"), "{status}");
    assert_eq!(code(&place.durable(["watch"])), 0);
}

/// Whoever ends it has seen the error, and says that all is done.
#[test]
fn an_error_that_stopped_nothing_is_no_work_of_a_session_that_was_ended() {
    let place = Place::booted();
    assert_eq!(code(&place.once("pay/1", &["--idempotent"], "true")), 0);
    assert_eq!(code(&place.once("pay/1", &["--idempotent"], "echo another")), 76);
    assert!(out(&place.durable(["handoff"])).contains("FIX"));
    assert_eq!(code(&place.durable(["end"])), 0);
    assert_eq!(standing(&place), is("finished", 0));
    let letter = place.read("s/handoff.md");
    assert!(letter.contains("1. NOTHING is open") && !letter.contains("FIX"), "{letter}");
}

/// The first command for this word of a text that shows commands in backticks.
fn shown(text: &str, beginning: &str) -> String {
    let begin = text.find(&format!("`{beginning}")).unwrap_or_else(|| panic!("no {beginning}: {text}")) + 1;
    text[begin..].split('`').next().unwrap().to_owned()
}

#[test]
fn a_key_that_reads_as_an_option_is_typed_as_it_is_shown() {
    let place = Place::booted();
    let call = place.once("-x", &["--in-doubt", "ada"], "exit 9");
    let wanted = "durable resolve --happened --value OUTPUT --by WHO --because WHY -- '-x'";
    assert_eq!((code(&call), shown(&err(&call), "durable resolve --happened")), (75, wanted.to_owned()));
    let show = place.shell("durable show -- '-x'").output().unwrap();
    let typed = shown(&out(&show), "durable resolve");
    let handoff = out(&place.durable(["handoff"]));
    assert_eq!(shown(&handoff, "durable resolve --happened"), typed);
    assert_eq!(typed, "durable resolve --happened --value RESULT --by WHO --because WHY -- '-x'");
    let said = typed.replace("RESULT", "null").replace("WHO", "ada").replace("WHY", "seen");
    let said = place.shell(&said).output().unwrap();
    assert_eq!(code(&said), 0, "{}", told(&said));
    assert_eq!(code(&place.once("-x", &["--in-doubt", "ada"], "exit 9")), 0);
    assert!(out(&place.durable(["journal", "-k", "-x"])).contains("resolve"));
}

#[test]
fn a_word_about_a_command_says_what_a_command_can_give() {
    let place = Place::booted();
    place.once("pay/1", &["--in-doubt", "ada"], "exit 9");
    let say = |args: &[&str]| place.durable([&["resolve", "pay/1", "--by", "ada", "--because", "seen"], args].concat());
    for (args, wanted) in [
        (&["--happened"][..], "with `--value` and its JSON; that is what the command would have printed"),
        (&["--happened", "--value", "7"], "reads no result in `7`: give what the command would have printed"),
        (&["--happened", "--value", "{\"receipt\":7}"], "reads no result in"),
    ] {
        let said = say(args);
        assert!(code(&said) == 2 && err(&said).contains(wanted), "{args:?}: {}", told(&said));
    }
    assert_eq!(code(&say(&["--happened", "--value", "{\"exit\":2}"])), 0);
    let other = say(&["--did-not-happen"]);
    assert!(code(&other) == 1 && err(&other).contains("remove no file, but start the worker"), "{}", told(&other));
    assert_eq!(code(&place.once("pay/1", &["--in-doubt", "ada"], "exit 9")), 2);
}

#[test]
fn what_opens_as_it_is_is_not_adopted() {
    let place = Place::booted();
    let before = place.read("s/journal.jsonl");
    let adopted = place.durable(["adopt", "--by", "ada", "--because", "to be sure"]);
    assert!(code(&adopted) == 1 && err(&adopted).contains("opens as it is"), "{}", told(&adopted));
    assert_eq!(place.read("s/journal.jsonl"), before);
}

/// The word would be about an attempt that nobody has looked at.
#[test]
fn an_answer_that_is_typed_once_more_is_none_about_the_next_attempt() {
    let place = Place::booted();
    let call = || place.once("k", &["--in-doubt", "ada"], "echo acted >> ledger; exit 9");
    assert_eq!(code(&call()), 75);
    let answer = ["resolve", "k", "--did-not-happen", "--by", "ada", "--because", "not seen", "--wait", "0s"];
    assert_eq!(code(&place.durable(answer)), 0);
    let second = call();
    assert_eq!(code(&second), 75);
    assert!(err(&second).contains("--did-not-happen --attempt 2 --by"), "{}", told(&second));
    assert!(place.read("s/handoff.md").contains("--happened --value RESULT --attempt 2 --by"));
    let typed_again = place.durable(answer);
    assert_eq!(code(&typed_again), 2);
    assert!(
        err(&typed_again).contains("say `durable resolve k --did-not-happen --attempt 2 --by"),
        "{}",
        told(&typed_again)
    );
    assert_eq!(code(&call()), 75);
    assert_eq!(place.read("ledger"), "acted\nacted\n");
}

/// It acts when everybody has looked, and not found it.
#[test]
fn nobody_says_that_it_did_not_happen_while_what_was_started_may_still_act() {
    let place = Place::booted();
    let script = "(cat gate; echo acted >> ledger) & wait";
    assert!(place.shell("mkfifo gate").status().unwrap().success());
    let call = place.once("k", &["--in-doubt", "ada", "--timeout", "100ms"], script);
    assert_eq!(code(&call), 75, "{}", told(&call));
    let answer = ["resolve", "k", "--did-not-happen", "--by", "ada", "--because", "not seen", "--wait", "0s"];
    let early = place.durable(answer);
    assert_eq!(code(&early), 77, "{}", told(&early));
    assert!(err(&early).contains("holds the session") && err(&early).contains("may act yet"), "{}", told(&early));
    assert!(place.shell("echo go > gate").status().unwrap().success());
    place.until(|place| !place.is_held());
    assert_eq!(code(&place.durable(answer)), 0, "whoever has looked may be wrong, and says so");
}

/// How long ago it was begun, only the log knew.
#[test]
fn a_receiver_that_forgets_is_not_asked_to_repeat_what_a_lost_log_has_begun() {
    let place = Place::booted();
    let call = || place.once("k", &["--idempotent", "--within", "1h"], "echo acted >> ledger; kill -9 $PPID; exit 1");
    call();
    std::fs::remove_file(place.file("s/journal.jsonl")).unwrap();
    let again = place.once(
        "k",
        &["--idempotent", "--within", "1h", "--goal", "pay"],
        "echo acted >> ledger; kill -9 $PPID; exit 1",
    );
    assert_eq!(code(&again), 75, "{}", told(&again));
    let letter = place.read("s/handoff.md");
    assert!(letter.contains("the log that knew when the step was begun is gone"), "{letter}");
    assert_eq!(place.read("ledger"), "acted\n");
}

/// The letter in a directory says what is typed there.
#[test]
fn a_word_that_is_typed_in_one_session_goes_to_no_other() {
    let place = Place::booted();
    for session in ["s", "other"] {
        let call =
            ["once", "-s", session, "--goal", "pay what is due", "--key", "k", "--in-doubt", "ada", "--", "false"];
        assert_eq!(code(&place.durable(call)), 75);
    }
    let word = "resolve k --did-not-happen --by ada --because 'not seen' --wait 0s";
    let root = place.path().display().to_string();
    let two = place.shell(&format!("cd other && DURABLE_SESSION={root}/s durable {word}")).output().unwrap();
    assert!(code(&two) == 2 && err(&two).contains("DURABLE_SESSION names another"), "{}", told(&two));
    let meant = place.shell(&format!("cd other && DURABLE_SESSION={root}/s durable {word} -s .")).output().unwrap();
    assert_eq!(code(&meant), 0, "{}", told(&meant));
    let inbox = |session: &str| std::fs::read_dir(place.file(session).join("inbox")).map_or(0, Iterator::count);
    assert_eq!((inbox("other"), inbox("s")), (1, 0));
}
