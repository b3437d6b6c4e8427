//! What a call gives, and what a later one with the same key.

use crate::place::{Place, code, err, out, told};

const ASK: &[&str] = &["--in-doubt", "treasury"];

#[test]
fn a_command_runs_once_and_is_replayed_with_its_output_and_exit_code() {
    let place = Place::booted();
    let script = "echo tx-81; echo fee >&2; echo ran >> ledger; exit 4";
    let options = [ASK, &["--ok", "3,4"]].concat();
    let first = place.once("pay/1", &options, script);
    assert_eq!((code(&first), out(&first).as_str(), err(&first).as_str()), (4, "tx-81\n", "fee\n"));
    let second = place.once("pay/1", &options, script);
    assert_eq!((code(&second), out(&second).as_str()), (4, "tx-81\n"));
    assert!(
        err(&second).ends_with("fee\n") && err(&second).starts_with("durable: `pay/1` was done before"),
        "{}",
        told(&second)
    );
    assert_eq!(place.read("ledger"), "ran\n");
}

#[test]
fn the_command_knows_its_key_its_token_and_its_session_and_has_the_standard_input() {
    let place = Place::booted();
    let script = "printf '%s ' \"$DURABLE_KEY\" \"$DURABLE_TOKEN\" \"$DURABLE_SESSION\"; cat";
    let mut shell = place
        .shell(&format!("echo in | durable once --key mail --idempotent -- sh -c '{}'", script.replace('\'', "'\\''")));
    let told = out(&shell.output().unwrap());
    let words: Vec<_> = told.split_whitespace().collect();
    let reserved = &place.records("reserve")[0];
    let session = place.file("s").display().to_string();
    assert_eq!(words, ["mail", reserved["token"].as_str().unwrap(), &session, "in"]);
}

#[test]
fn the_token_is_the_same_in_every_attempt() {
    let place = Place::booted();
    let script = "echo $DURABLE_TOKEN >> tokens; test $(wc -l < tokens) -gt 1 || exit 9";
    let first = place.once("pay/1", &["--idempotent"], script);
    assert_eq!(code(&first), 9, "{}", told(&first));
    assert!(err(&first).contains("may have happened all the same"), "{}", told(&first));
    assert_eq!(code(&place.once("pay/1", &["--idempotent"], script)), 0);
    let tokens = place.read("tokens");
    let tokens: Vec<_> = tokens.lines().collect();
    assert_eq!((tokens.len(), tokens[0]), (2, tokens[1]));
}

#[test]
fn the_same_key_with_another_command_is_refused_and_runs_nothing() {
    let place = Place::booted();
    assert_eq!(code(&place.once("pay/1", ASK, "echo 500 >> ledger")), 0);
    let (other, answer) = place.once_json("pay/1", ASK, "echo 900 >> ledger");
    assert_eq!((code(&other), answer["outcome"].as_str()), (76, Some("conflict")));
    assert!(err(&other).contains("`pay/1` was used before") && !err(&other).contains(".rs:"), "{}", told(&other));
    assert_eq!(place.read("ledger"), "500\n");
}

#[test]
fn an_exit_code_that_proves_that_nothing_happened_lets_the_next_call_run_it_again() {
    let place = Place::booted();
    let options = [ASK, &["--rejected", "4"]].concat();
    let script = "echo tried >> ledger; test -e funds || exit 4";
    let first = place.once("pay/1", &options, script);
    assert_eq!(code(&first), 4, "{}", told(&first));
    assert!(err(&first).contains("proves that nothing has happened"), "{}", told(&first));
    std::fs::write(place.file("funds"), "").unwrap();
    assert_eq!(code(&place.once("pay/1", &options, script)), 0);
    assert_eq!(code(&place.once("pay/1", &options, script)), 0);
    assert_eq!(place.read("ledger"), "tried\n".repeat(2));
}

#[test]
fn any_other_exit_code_is_a_doubt_that_a_person_ends() {
    let place = Place::booted();
    let script = "echo ran >> ledger; echo broken pipe >&2; exit 75";
    for call in 0..2 {
        let (doubt, answer) = place.once_json("pay/1", ASK, script);
        assert_eq!((code(&doubt), answer["outcome"].as_str()), (75, Some("in_doubt")), "{}", told(&doubt));
        assert_eq!(answer["ended"]["exit"].as_u64(), (call == 0).then_some(75), "only the first call ran it");
        assert!(err(&doubt).contains("ask treasury"), "{}", told(&doubt));
    }
    assert_eq!(place.read("ledger"), "ran\n");
    let asked = &place.records("in_doubt")[0];
    assert_eq!(asked["why"], "it ended with exit code 75: broken pipe");
}

#[test]
fn a_command_that_a_signal_ends_is_in_doubt() {
    let place = Place::booted();
    let (doubt, answer) = place.once_json("pay/1", ASK, "kill -SEGV $$");
    assert_eq!((code(&doubt), answer["ended"]["signal"].as_i64()), (75, Some(11)), "{}", told(&doubt));
}

#[test]
fn a_program_that_cannot_be_started_has_done_nothing() {
    let place = Place::booted();
    let call = || place.durable([&["once", "--key", "pay/1"], ASK, &["--", "./pay", "1"]].concat());
    let missing = call();
    assert_eq!(code(&missing), 127, "{}", told(&missing));
    assert!(err(&missing).contains("nothing has happened"), "{}", told(&missing));
    assert!(place.records("reserve").is_empty(), "the key is free for another command");
    std::fs::write(place.file("pay"), "#!/bin/sh\necho paid $1\n").unwrap();
    assert_eq!(code(&call()), 126, "it is there, and may not be executed");
    place.shell("chmod +x pay").status().unwrap();
    assert_eq!(out(&call()), "paid 1\n");
    std::fs::remove_file(place.file("pay")).unwrap();
    assert_eq!(out(&call()), "paid 1\n", "what is done is replayed without its program");
}

#[test]
fn a_command_that_takes_too_long_is_ended_and_in_doubt() {
    let place = Place::booted();
    let options = [ASK, &["--timeout", "1s"]].concat();
    let (doubt, answer) = place.once_json(
        "pay/1",
        &options,
        "echo $$ > pid; trap 'echo ended in order >> ledger; exit 1' TERM; while :; do :; done",
    );
    assert_eq!((code(&doubt), answer["ended"]["timed_out"].as_bool()), (75, Some(true)), "{}", told(&doubt));
    assert_eq!(place.read("ledger"), "ended in order\n");
}

#[test]
fn one_of_the_three_ways_out_of_a_doubt_is_needed() {
    let place = Place::booted();
    assert_eq!(code(&place.once("pay/1", &[], "true")), 2);
    assert_eq!(code(&place.once("pay/1", &["--idempotent", "--verify", "true"], "true")), 2);
    assert_eq!(code(&place.once("pay/1", &["--idempotent", "--ok", "3", "--rejected", "3"], "true")), 2);
    assert_eq!(code(&place.once("pay/1", &["--idempotent", "--rejected", "0"], "true")), 2);
    assert!(place.records("reserve").is_empty());
}

#[test]
fn a_step_inside_the_command_of_a_step_is_refused() {
    let place = Place::booted();
    let inner = place.once("outer", ASK, "durable once --key inner --idempotent -- touch inner; echo $?");
    assert_eq!(out(&inner), "1\n");
    assert!(err(&inner).contains("by the command of `outer`"), "{}", told(&inner));
    assert!(!place.file("inner").exists());
}

#[test]
fn without_a_goal_nothing_is_begun() {
    let place = Place::empty();
    let refused = place.once("pay/1", ASK, "touch ran");
    assert_eq!(code(&refused), 1, "{}", told(&refused));
    assert!(!place.file("s").exists() && !place.file("ran").exists());
    assert_eq!(code(&place.once("pay/1", &[ASK, &["--goal", "pay"]].concat(), "touch ran")), 0);
}
