//! Who holds the session, and how long.

use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::place::{Place, code, err, out, told};

const STEP: [&str; 10] = ["once", "--key", "pay/1", "--verify", "cat ledger", "--settle", "0s", "--", "sh", "-c"];

const ACT: &str = "touch acting; cat gate > /dev/null; echo paid >> ledger";

fn step(place: &Place) -> std::process::Command {
    let mut call = place.command(STEP);
    call.arg(ACT);
    call
}

/// A step whose command waits at a gate, and then acts.
fn gated_step(place: &Place) -> Child {
    place.shell("mkfifo gate").status().unwrap();
    let running = step(place).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    place.until(|place| place.file("acting").exists());
    running
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

#[test]
fn a_command_whose_caller_was_killed_holds_the_session_until_it_ends() {
    let place = Place::booted();
    let mut running = gated_step(&place);
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(place.is_held(), "whoever asks now must not be let in");
    let refused = step(&place).output().unwrap();
    assert_eq!(code(&refused), 77, "{}", told(&refused));
    assert!(err(&refused).contains("another process holds the session"), "{}", told(&refused));
    assert_eq!(place.read("ledger"), "", "it still acts");
    if std::path::Path::new("/proc/locks").exists() {
        // The one that took the lock is gone: the one that has it is named.
        let status = out(&place.durable(["status"]));
        for said in [err(&refused), status] {
            assert!(!said.contains(&format!("process {}", running.id())), "{said}");
            assert!(said.contains("sh -c touch acting; cat gate"), "{said}");
        }
    }
    assert!(err(&refused).contains("`durable resolve`, `durable decide` or `durable cancel`"), "{}", told(&refused));
    // The next call waits for it, and only then asks the verifier.
    let mut next = place.command(["once", "--wait", "1h"].into_iter().chain(STEP.into_iter().skip(1)));
    let next = next.arg(ACT).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::fs::write(place.file("gate"), "go").unwrap();
    let verified = next.wait_with_output().unwrap();
    assert_eq!((code(&verified), out(&verified).as_str()), (0, "paid\n"), "{}", told(&verified));
    assert_eq!(place.read("ledger"), "paid\n");
}

#[test]
fn what_a_command_in_doubt_has_left_running_holds_the_session() {
    let place = Place::booted();
    place.shell("mkfifo gate").status().unwrap();
    let doubt = place.once("k", &["--in-doubt", "ada"], "(exec > out 2>&1; cat gate; touch acted) & exit 9");
    assert_eq!(code(&doubt), 75, "{}", told(&doubt));
    assert!(place.is_held());
    std::fs::write(place.file("gate"), "").unwrap();
    place.until(|place| place.file("acted").exists() && !place.is_held());
}

#[test]
fn two_calls_at_once_run_one_after_the_other_or_one_is_refused() {
    let place = Place::booted();
    let mut first = gated_step(&place);
    assert_eq!(code(&place.once("other", &["--idempotent"], "true")), 77);
    let mut other = place.command(["once", "--wait", "1h", "--key", "other", "--idempotent", "--", "cat", "ledger"]);
    let other = other.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::fs::write(place.file("gate"), "go").unwrap();
    assert!(first.wait().unwrap().success());
    let other = other.wait_with_output().unwrap();
    assert_eq!((code(&other), out(&other).as_str()), (0, "paid\n"), "{}", told(&other));
}

#[test]
fn an_interrupt_does_not_end_the_call_before_it_has_recorded() {
    for signal in [Signal::INT, Signal::QUIT] {
        let place = Place::booted();
        let mut running = gated_step(&place);
        kill_process(pid(&running), signal).unwrap();
        std::fs::write(place.file("gate"), "go").unwrap();
        assert_eq!(running.wait().unwrap().code(), Some(0));
        assert_eq!(place.records("done").len(), 1);
    }
}

#[test]
fn a_request_to_end_is_passed_on_and_what_becomes_of_it_is_recorded() {
    let place = Place::booted();
    place.shell("mkfifo gate").status().unwrap();
    let script = "trap 'echo gave up >> ledger; exit 3' TERM; cat gate & touch acting; wait";
    let mut call =
        place.command(["once", "--key", "k", "--in-doubt", "ada", "--rejected", "3", "--", "sh", "-c", script]);
    let mut running = call.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    place.until(|place| place.file("acting").exists());
    kill_process(pid(&running), Signal::TERM).unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(3));
    assert_eq!(place.read("ledger"), "gave up\n");
    assert_eq!(place.records("failed")[0]["failure"], "rejected");
    std::fs::write(place.file("gate"), "").unwrap();
}

#[test]
fn a_signal_that_is_ignored_stays_ignored_for_the_command_too() {
    let place = Place::booted();
    place.shell("mkfifo gate").status().unwrap();
    let act = "touch acting; cat gate > /dev/null; kill -HUP $$; echo paid >> ledger";
    let mut nohup = place.shell(&format!("trap '' HUP; exec durable once --key k --in-doubt ada -- sh -c '{act}'"));
    let mut running = nohup.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    place.until(|place| place.file("acting").exists());
    kill_process(pid(&running), Signal::HUP).unwrap();
    std::fs::write(place.file("gate"), "go").unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(0));
    assert_eq!(place.read("ledger"), "paid\n");
}

#[test]
fn an_interrupt_ends_a_call_that_only_waits() {
    let place = Place::booted();
    let options = ["once", "--key", "k", "--verify", "touch asked; exit 1", "--settle", "1h", "--", "false"];
    let Some(mut command) = place.interruptible(options) else {
        return eprintln!("\nnot measured here: `env` cannot say that an interrupt is not ignored\n");
    };
    let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    place.until(|place| !place.records("not_yet").is_empty());
    kill_process(pid(&running), Signal::INT).unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(130));
    assert!(!place.is_held());
}
