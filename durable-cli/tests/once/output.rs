//! What is passed on, and what is kept of it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::place::{Place, code, err, out, told};

const SAFE: &[&str] = &["--idempotent"];

#[test]
fn output_is_passed_on_while_the_command_runs() {
    let place = Place::booted();
    place.shell("mkfifo gate").status().unwrap();
    let mut call = place.command(["once", "--key", "k", "--idempotent", "--", "sh", "-c", "echo first; cat gate"]);
    let mut running = call.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert_eq!(line, "first\n", "it is read before the command may end");
    std::fs::write(place.file("gate"), "second\n").unwrap();
    lines.read_to_string(&mut line).unwrap();
    assert_eq!(line, "first\nsecond\n");
    assert!(running.wait().unwrap().success());
}

#[test]
fn a_huge_output_is_passed_on_whole_and_kept_in_its_beginning() {
    let place = Place::booted();
    let script = "head -c 5000000 /dev/zero | tr '\\0' x; head -c 70000 /dev/zero | tr '\\0' y >&2";
    let first = place.once("k", SAFE, script);
    assert_eq!((code(&first), first.stdout.len(), first.stderr.len()), (0, 5_000_000, 70_000));
    let again = place.once("k", SAFE, script);
    assert_eq!(again.stdout.len(), 64 * 1024);
    assert!(
        err(&again).contains("4934464 bytes at the end of its output were not kept"),
        "{}",
        err(&again).lines().next().unwrap()
    );
    assert!(place.read("s/journal.jsonl").len() < 200_000);
}

#[test]
fn more_is_kept_where_that_is_asked_for() {
    let place = Place::booted();
    let script = "head -c 400000 /dev/zero | tr '\\0' x";
    let options = [SAFE, &["--keep", "500000"]].concat();
    assert_eq!(place.once("k", &options, script).stdout.len(), 400_000);
    let again = place.once("k", &options, script);
    assert_eq!(again.stdout.len(), 400_000);
    assert!(!err(&again).contains("not kept"), "{}", err(&again));
}

#[test]
fn binary_output_is_replayed_byte_for_byte() {
    let place = Place::booted();
    let script = "printf '\\000\\377\\033[2J\\r\\n\\303'";
    let first = place.once("k", SAFE, script);
    let again = place.once("k", SAFE, script);
    assert_eq!(first.stdout, b"\0\xff\x1b[2J\r\n\xc3");
    assert_eq!(again.stdout, first.stdout);
}

#[test]
fn what_looks_like_a_secret_is_passed_on_and_not_kept() {
    let place = Place::booted();
    let script = "echo 'token=s3cr3t-of-ada'; echo 'Authorization: Bearer abc.def-1' >&2; exit 7";
    let first = place.once("k", &["--in-doubt", "ada", "--ok", "7"], script);
    assert_eq!(out(&first), "token=s3cr3t-of-ada\n");
    let again = place.once("k", &["--in-doubt", "ada", "--ok", "7"], script);
    assert_eq!(out(&again), "token=[redacted]\n");
    let failed = place.once("f", &["--in-doubt", "ada"], script);
    assert_eq!(code(&failed), 75);
    let mut known = place.command(["once", "--key", "e", "--idempotent", "--", "sh", "-c", "echo it is $BANK_TOKEN"]);
    assert_eq!(out(&known.env("BANK_TOKEN", "s3cr3t-of-the-bank").output().unwrap()), "it is s3cr3t-of-the-bank\n");
    assert_eq!(place.records("done")[1]["value"]["stdout"], "it is [redacted]\n");
    for file in ["s/journal.jsonl", "s/handoff.md", "s/state.json"] {
        let text = place.read(file);
        assert!(!text.contains("s3cr3t") && !text.contains("abc.def"), "{file}: {text}");
    }
}

#[test]
fn a_reader_that_goes_away_neither_ends_the_command_nor_loses_its_result() {
    let place = Place::booted();
    let script = "yes | head -c 1000000; echo done >> ledger";
    let call = format!("durable once --key k --idempotent -- sh -c '{script}' | head -n 1; echo $?");
    assert_eq!(out(&place.shell(&call).output().unwrap()), "y\n0\n");
    assert_eq!(place.read("ledger"), "done\n");
    assert_eq!(place.records("done")[0]["value"]["stdout_cut"], 1_000_000 - 64 * 1024);
}

#[test]
fn a_closed_output_is_no_error() {
    let place = Place::booted();
    let closed =
        place.shell("durable once --key k --idempotent -- sh -c 'echo a; echo b >&2' >&- 2>&-; echo $? > code");
    assert!({ closed }.status().unwrap().success());
    assert_eq!(place.read("code"), "0\n");
    assert_eq!(place.records("done")[0]["value"]["stdout"], "a\n");
}

/// What a call with its output going to a full disk ends with, and what it says.
fn into_full(place: &Place, call: &str, redirection: &str) -> (String, String) {
    let script = format!("{call} {redirection}/dev/full 2> said; echo $?");
    (out(&place.shell(&script).output().unwrap()), place.read("said"))
}

#[test]
fn an_output_that_a_full_disk_takes_is_told_and_the_effect_is_recorded_all_the_same() {
    let place = Place::booted();
    let call = "durable once --key k --idempotent -- sh -c 'echo paid; echo x >> ledger'";
    for call in [call, call, &call.replace("once", "once --json")] {
        let (code, said) = into_full(&place, call, "> ");
        assert_eq!(code, "74\n", "{call}: {said}");
        assert!(
            said.contains("`k` has happened, which is recorded") && said.contains("prints what is recorded"),
            "{said}"
        );
    }
    assert_eq!(place.read("ledger"), "x\n");
    assert_eq!(out(&place.shell(call).output().unwrap()), "paid\n");
    let long = call.replace("echo paid", "head -c 300000 /dev/zero").replace("key k", "key long");
    assert_eq!(into_full(&place, &long, "> ").0, "74\n");
    let stderr = call.replace("echo paid", "echo paid >&2").replace("key k", "key stderr");
    let ended = place.shell(&format!("{stderr} 2> /dev/full; echo $?")).output().unwrap();
    assert_eq!(out(&ended), "74\n");
}

#[test]
fn an_exit_code_that_says_more_than_a_full_disk_is_kept() {
    let place = Place::booted();
    let call = |key: &str, code: u8| {
        format!("durable once --key {key} --in-doubt ada --rejected 3 -- sh -c 'echo words; exit {code}'")
    };
    let (code, said) = into_full(&place, &call("refused", 3), "> ");
    assert!(code == "3\n" && said.contains("not all could be printed") && said.contains("runs it again"), "{said}");
    let (code, said) = into_full(&place, &call("doubt", 4), "> ");
    assert!(code == "75\n" && said.contains("not all could be printed") && said.contains("is in doubt"), "{said}");
}

#[test]
fn an_answer_that_cannot_be_printed_is_told_and_what_was_asked_for_is_done() {
    let place = Place::booted();
    assert_eq!(code(&place.once("k", &["--in-doubt", "ada"], "exit 4")), 75);
    let resolve = "durable resolve k --did-not-happen --by ada --because 'it is not in the book'";
    for call in
        ["durable note tone dry", resolve, "durable status", "durable keys", "durable --help", "durable journal"]
    {
        let (code, said) = into_full(&place, call, "> ");
        assert!(code == "74\n" && said.contains("not all could be printed"), "{call}: {code}{said}");
    }
    assert!(place.read("s/state.json").contains("dry"));
    assert_eq!(std::fs::read_dir(place.file("s/inbox")).unwrap().count(), 1, "the word is left");
}

#[test]
fn a_reader_that_has_gone_away_changes_no_exit_code() {
    let place = Place::booted();
    assert_eq!(code(&place.once("k", &["--in-doubt", "ada"], "exit 4")), 75);
    let signed = ["--by", "ada", "--because", "it is not in the book"];
    for (args, wanted) in [
        (&["status"][..], 75),
        (&["once", "--json", "--key", "k", "--in-doubt", "ada", "--", "sh", "-c", "exit 4"], 75),
        (&[&["resolve", "k", "--did-not-happen"], &signed[..]].concat(), 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = place.command(args).stdout(writer).stderr(Stdio::null()).status().unwrap();
        assert_eq!(ended.code(), Some(wanted), "{args:?}");
    }
    assert_eq!(std::fs::read_dir(place.file("s/inbox")).unwrap().count(), 1, "the word is left");
}

#[test]
fn nobody_waits_for_a_daemon_that_has_the_streams_of_the_command() {
    let place = Place::booted();
    place.shell("mkfifo gate").status().unwrap();
    let script = "(cat gate; echo too late) & echo started";
    let first = place.once("k", SAFE, script);
    assert_eq!((code(&first), out(&first).as_str()), (0, "started\n"), "{}", told(&first));
    assert_eq!(
        code(&place.once("k", SAFE, script)),
        0,
        "what ended in order holds nothing, whatever it has left running"
    );
    std::fs::write(place.file("gate"), "").unwrap();
}

/// Ends a call whose output nobody reads by a signal, and gives its exit code.
fn terminated(running: &mut Child) -> Option<i32> {
    let until = Instant::now() + Duration::from_secs(30);
    while Instant::now() < until {
        kill_process(Pid::from_child(running), Signal::TERM).unwrap();
        if let Some(status) = running.try_wait().unwrap() {
            return status.code();
        }
        std::thread::yield_now();
    }
    running.kill().unwrap();
    None
}

#[test]
fn a_signal_ends_a_call_whose_reader_takes_nothing() {
    let place = Place::booted();
    // More than a pipe holds, and less than holds up the command.
    let script = "head -c 150000 /dev/zero | tr '\\0' x";
    let call = || {
        let mut call =
            place.command(["once", "--key", "k", "--idempotent", "--keep", "150000", "--", "sh", "-c", script]);
        call.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut first = call();
    place.until(|place| !place.records("done").is_empty());
    assert_eq!(terminated(&mut first), Some(143));
    let mut again = call();
    let mut line = String::new();
    BufReader::new(again.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("was done before"), "{line}");
    assert_eq!(terminated(&mut again), Some(143));
    let whole = place.once("k", &["--idempotent", "--keep", "150000"], script);
    assert_eq!((code(&whole), whole.stdout.len()), (0, 150_000));
}
