//! What becomes of a call that died, or of a command that ended in the middle.

use std::process::Output;

use serde_json::Value;

use crate::place::{Place, code, err, out, told};

/// A step that has run and of which nobody knows the end.
fn in_doubt() -> Place {
    let place = Place::booted();
    let killed = place.once("pay/1", &["--verify", "exit 3", "--settle", "0s"], "echo ran >> ledger; kill -9 $$");
    assert_eq!(code(&killed), 75, "{}", told(&killed));
    place
}

fn verified_by(place: &Place, verify: &str) -> (Output, Value) {
    place.once_json("pay/1", &["--verify", verify, "--settle", "0s"], "echo ran >> ledger; kill -9 $$")
}

#[test]
fn a_verifier_that_finds_it_gives_the_output_that_is_recorded() {
    let place = in_doubt();
    let (verified, answer) = verified_by(&place, "test \"$DURABLE_KEY\" = pay/1 && echo tx-81");
    assert_eq!((code(&verified), answer["outcome"].as_str()), (0, Some("verified")));
    assert_eq!(answer["result"]["stdout"], "tx-81\n");
    let again = place.once("pay/1", &["--verify", "exit 3"], "echo ran >> ledger; kill -9 $$");
    assert_eq!((code(&again), out(&again).as_str()), (0, "tx-81\n"));
    assert_eq!(place.read("ledger"), "ran\n");
}

#[test]
fn a_verifier_that_finds_nothing_lets_it_run_again() {
    let place = in_doubt();
    // The verifier looks before the second run, and after it.
    let (again, answer) = verified_by(&place, "test $(wc -l < ledger) -gt 1");
    assert_eq!((code(&again), answer["outcome"].as_str()), (0, Some("verified")), "{}", told(&again));
    assert_eq!(place.read("ledger"), "ran\n".repeat(2));
    assert_eq!(place.records("absent").len(), 1);
}

#[test]
fn a_verifier_that_cannot_tell_asks_a_person_and_nothing_runs() {
    for verify in ["exit 2", "exit 127", "kill -9 $$"] {
        let place = in_doubt();
        let (asked, answer) = verified_by(&place, verify);
        assert_eq!((code(&asked), answer["outcome"].as_str()), (75, Some("in_doubt")), "{verify}");
        assert!(
            err(&asked).contains("its verifier cannot tell") && err(&asked).contains("ask operator"),
            "{}",
            told(&asked)
        );
        assert_eq!(place.read("ledger"), "ran\n");
    }
}

#[test]
fn a_person_ends_a_doubt_with_the_command_that_it_is_told() {
    for (says, runs, printed) in [("--happened --value '\"tx-81\\n\"'", 1, "tx-81\n"), ("--did-not-happen", 2, "ran\n")]
    {
        let place = Place::booted();
        let script = "echo ran | tee -a ledger; test $(wc -l < ledger) -gt 1 || kill -9 $$";
        let doubt = place.once("pay/1", &["--in-doubt", "ada"], script);
        let told = err(&doubt);
        assert!(told.contains("`durable resolve pay/1 --did-not-happen --by WHO --because WHY`"), "{told}");
        let word =
            place.shell(&format!("durable resolve pay/1 {says} --by ada --because 'looked into the ledger'")).output();
        assert_eq!(code(&word.unwrap()), 0);
        let next = place.once("pay/1", &["--in-doubt", "ada"], script);
        assert_eq!((code(&next), out(&next).as_str()), (0, printed), "{}", self::told(&next));
        assert_eq!(place.read("ledger"), "ran\n".repeat(runs));
    }
}

#[test]
fn what_a_verifier_does_not_find_is_believed_only_after_the_settling() {
    let place = Place::booted();
    let absent = place.once("pay/1", &["--verify", "echo asked >> verifier; exit 1", "--settle", "300ms"], "exit 9");
    assert_eq!(code(&absent), 9, "{}", told(&absent));
    assert!(err(&absent).contains("durable: `pay/1` waits until"), "{}", told(&absent));
    assert_eq!(place.read("verifier"), "asked\n".repeat(2));
    assert_eq!(place.records("not_yet").len(), 1);
}

#[test]
fn a_wait_of_which_nobody_can_be_told_is_waited_for_all_the_same() {
    let place = Place::booted();
    for (key, nobody) in [("full", Some("/dev/full")), ("closed", None)] {
        let mut call = place
            .command(["once", "--key", key, "--verify", "exit 1", "--settle", "300ms", "--", "sh", "-c", "exit 9"]);
        let ended = match nobody {
            Some(full) => call.stderr(std::fs::OpenOptions::new().write(true).open(full).unwrap()).status(),
            None => {
                let (reader, writer) = std::io::pipe().unwrap();
                drop(reader);
                call.stderr(writer).status()
            }
        };
        assert_eq!(ended.unwrap().code(), Some(9), "{key}");
        assert_eq!(place.records("not_yet").iter().filter(|record| record["key"] == key).count(), 1);
    }
}

#[test]
fn a_verifier_is_asked_only_when_nothing_runs_any_more_that_the_command_has_started() {
    let place = Place::booted();
    place.shell("mkfifo gate").status().unwrap();
    let mut call =
        place.command(["once", "--key", "pay/1", "--verify", "cat ledger", "--settle", "0s", "--", "sh", "-c"]);
    // The shell dies, and what it has started acts a little later.
    call.arg("(exec > out 2>&1; cat gate; echo late >> ledger) & kill -9 $$").stderr(std::process::Stdio::piped());
    let mut running = call.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut waits = std::io::BufReader::new(running.stderr.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut waits, &mut line).unwrap();
    assert!(line.contains("waiting for what the command has left running"), "{line}");
    std::fs::write(place.file("gate"), "go").unwrap();
    let verified = running.wait_with_output().unwrap();
    assert_eq!((code(&verified), out(&verified).as_str()), (0, "late\n"));
}
