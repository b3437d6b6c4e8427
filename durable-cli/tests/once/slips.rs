//! Slips of the finger of whoever types a command: each is told, with what would have been right.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use crate::place::{Place, code, err, out, told};

#[test]
fn an_option_that_says_nothing_or_does_nothing_is_refused() {
    let place = Place::booted();
    for (options, wanted) in [
        (&["--in-doubt", ""][..], "it is empty: say something"),
        (&["--idempotent", "--goal", " "], "it is empty: say something"),
        (&["--idempotent", "--settle", "5s"], "add `--verify CMD`, or leave it out"),
        (&["--in-doubt", "ada", "--settle", "5s"], "add `--verify CMD`, or leave it out"),
        (&["--verify", "true", "--within", "5s"], "add `--idempotent`, or leave it out"),
        (&["--idempotent", "--timeout", "abc"], "such as 30s, 5m or 1h30m"),
        (&["--idempotent", "--wait", "5 parsecs"], "such as 30s, 5m or 1h30m"),
    ] {
        let once = place.once("k", options, "touch happened");
        assert!(code(&once) == 2 && err(&once).contains(wanted), "{options:?}: {}", told(&once));
    }
    let boot = place.durable(["boot", "--goal", ""]);
    assert!(code(&boot) == 2 && err(&boot).contains("it is empty: say something"), "{}", told(&boot));
    assert!(!place.file("happened").try_exists().unwrap());
}

/// It names no hole, no template and no attribute, for there are none.
#[test]
fn what_is_no_key_is_refused_before_anything_is_begun() {
    let place = Place::booted();
    let log = place.read("s/journal.jsonl");
    let long = "k".repeat(3000);
    for (key, wanted) in [
        ("", "an empty part"),
        ("pay/", "an empty part"),
        ("pay//81", "`//`"),
        ("pay\n81", "the control character U+000A"),
        (&long, "put an id into it"),
    ] {
        let once = place.once(key, &["--idempotent"], "touch happened");
        assert!(code(&once) == 2 && err(&once).contains(wanted), "{}", told(&once));
        assert!(err(&once).contains("nothing was run") && err(&once).len() < 400, "{}", told(&once));
    }
    assert_eq!(place.read("s/journal.jsonl"), log);
    let secret = place.once("pay/ghp_abcdefghijklmnopqrstuvwxyz0123456789", &["--idempotent"], "touch happened");
    assert!(code(&secret) == 1 && err(&secret).contains("put an id in its place"), "{}", told(&secret));
    assert!(!err(&secret).contains("secrets =") && !err(&secret).contains("ghp_"), "{}", told(&secret));
    assert!(!place.file("happened").exists());
}

/// Whoever typed it may believe that it is kept.
#[test]
fn a_note_that_was_redacted_says_so() {
    let place = Place::booted();
    let noted = place.durable(["note", "token", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"]);
    assert!(out(&noted).contains("but for what counts as a secret"), "{}", told(&noted));
    let made = place.durable(["note", "--artifact", "out/a", "--about", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"]);
    assert!(out(&made).contains("but for what counts as a secret"), "{}", told(&made));
    assert_eq!(out(&place.durable(["note", "tone", "formal"])), "It is noted.\n");
}

#[test]
fn a_file_that_is_no_program_takes_no_key() {
    let place = Place::booted();
    std::fs::write(place.file("text"), "").unwrap();
    for program in ["./text", ".", "./nowhere"] {
        let call = place.durable(["once", "--key", "k", "--idempotent", "--", program]);
        assert!([126, 127].contains(&code(&call)) && err(&call).contains("nothing has happened"), "{}", told(&call));
    }
    assert_eq!(code(&place.durable(["show", "k"])), 2);
}

#[test]
fn a_directory_that_others_use_is_not_taken_from_them() {
    let place = Place::empty();
    let mode = |name: &str| fs::metadata(place.file(name)).unwrap().permissions().mode() & 0o7777;
    for (name, of_others, wanted) in
        [("tmp", Some("theirs"), None), ("empty", None, Some(0o700)), ("mission", Some("mission.md"), Some(0o700))]
    {
        fs::create_dir(place.file(name)).unwrap();
        fs::set_permissions(place.file(name), Permissions::from_mode(0o1777)).unwrap();
        if let Some(file) = of_others {
            fs::write(place.file(name).join(file), "pay").unwrap();
        }
        let boot = place.durable(["boot", "-s", name, "--goal", "pay"]);
        assert_eq!((code(&boot) == 0, mode(name)), (wanted.is_some(), wanted.unwrap_or(0o1777)), "{}", told(&boot));
        if wanted.is_none() {
            assert!(err(&boot).contains("it holds other things (`theirs`), and others may use it"), "{}", told(&boot));
            assert_eq!(fs::read_dir(place.file(name)).unwrap().count(), 1, "nothing was made");
        }
    }
    fs::set_permissions(place.file("tmp"), Permissions::from_mode(0o700)).unwrap();
    assert_eq!(code(&place.durable(["boot", "-s", "tmp", "--goal", "pay"])), 0, "it is its owner's alone");
}

#[test]
fn what_is_not_known_is_told_with_what_may_have_been_meant() {
    let place = Place::booted();
    place.once("pay/1", &["--idempotent"], "true");
    for (args, wanted) in [
        (&["journal", "-k", "pay/2"][..], "there is no step or run `pay/2` here; did you mean `pay/1`?"),
        (&["keys", "--run", "nosuch"], "there is no run `nosuch` here; `durable outline` names them all"),
    ] {
        let asked = place.durable(args);
        assert!(code(&asked) == 2 && err(&asked).contains(wanted), "{args:?}: {}", told(&asked));
    }
    assert!(out(&place.durable(["journal", "-k", "pay/1"])).contains("pay/1: attempt 1"));
}

/// What names a call of the library, or a place in the source of the command, and not what there is to type.
const OF_A_PROGRAM: [&str; 6] =
    ["durable_runtime", "Session::", "session.re", "session.ca", "Word::", "durable-cli/src"];

#[test]
fn no_text_of_the_command_names_a_call_of_the_library() {
    let place = Place::booted();
    std::fs::write(place.file("empty.md"), "").unwrap();
    let said = |place: &Place, args: &[&str]| err(&place.durable(args)) + &out(&place.durable(args));
    let budget = said(&place, &["budget", "0", "0"]);
    let mission = said(&place, &["boot", "--mission", "empty.md"]);
    place.shell("cp -r s copy && rm -r s && mv copy s").status().unwrap();
    let (moved, doctor) = (said(&place, &["boot"]), said(&place, &["doctor"]));
    let goal = said(&Place::empty(), &["boot"]);
    let place = Place::booted();
    place.durable(["checkpoint", "all that is before it is durable"]);
    let journal = place.read("s/journal.jsonl").replacen("what is due", "what is dun", 1);
    std::fs::write(place.file("s/journal.jsonl"), journal).unwrap();
    let (damaged, status) = (said(&place, &["boot"]), said(&place, &["status"]));
    for (text, wanted) in [
        (&budget, "says nothing: give how much there is"),
        (&mission, "give the goal with `--goal`"),
        (&moved, "vouch for this one with `durable adopt --by WHO --because WHY`"),
        (&doctor, "then `durable adopt --by WHO --because WHY`"),
        (&damaged, "`durable doctor` says whether"),
        (&status, "journal.jsonl"),
        (&goal, "give one (`--goal`)"),
    ] {
        assert!(text.contains(wanted), "{text}");
        assert!(OF_A_PROGRAM.iter().all(|call| !text.contains(call)), "{text}");
    }
}

#[test]
fn what_is_forgotten_twice_was_not_there_the_second_time() {
    let place = Place::booted();
    place.durable(["note", "paid", "2"]);
    place.durable(["note", "--artifact", "report.txt"]);
    for args in [&["note", "--forget", "paid"][..], &["note", "--artifact", "--forget", "report.txt"]] {
        assert_eq!(out(&place.durable(args)), "It is forgotten.\n");
        let again = place.durable(args);
        assert!(code(&again) == 0 && out(&again).starts_with("There was none: "), "{}", told(&again));
    }
}

#[test]
fn the_words_of_others_stand_in_quotes() {
    let place = Place::booted();
    place.once("pay/1", &["--in-doubt", "ada", "--rejected", "3"], "echo no >&2; exit 3");
    let status = out(&place.durable(["status"]));
    assert!(status.contains("  error     `") && status.contains("no`"), "{status}");
    let show = out(&place.durable(["show", "pay/1"]));
    assert!(show.contains("  error     `"), "{show}");
}
