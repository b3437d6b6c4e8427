//! An iteration of an agent with a shell: from `boot` to `end`.

use serde_json::Value;

use crate::place::{Place, code, err, out, told};

fn status(place: &Place) -> (String, u64) {
    let state: Value = serde_json::from_str(&place.read("s/state.json")).unwrap();
    (state["status"].as_str().unwrap().to_owned(), state["session_iteration"].as_u64().unwrap())
}

#[test]
fn fifty_commands_between_boot_and_end_are_one_iteration() {
    let place = Place::booted();
    for n in 0..50 {
        assert_eq!(code(&place.once(&format!("step/{n}"), &["--idempotent"], "true")), 0);
    }
    assert_eq!(status(&place), ("awake".to_owned(), 1));
    assert_eq!(code(&place.durable(["end"])), 0);
    assert_eq!(status(&place), ("dormant".to_owned(), 1));
    assert_eq!(code(&place.durable(["boot"])), 0);
    assert_eq!(status(&place), ("awake".to_owned(), 2));
}

#[test]
fn a_boot_shows_the_handoff_that_was_left_first() {
    let place = Place::booted();
    place.once("pay/1", &["--in-doubt", "treasury"], "exit 9");
    let left = place.read("s/handoff.md");
    let boot = place.durable(["boot"]);
    let told = out(&boot);
    assert!(told.starts_with(left.trim_end()), "{told}");
    let order = [
        "# Boot — iteration 2",
        "## Amiss, and put right",
        "## In doubt\n- pay/1",
        "## Next action\nASK treasury",
        "## The last lines of the journal\n{",
    ];
    let places: Vec<_> =
        order.iter().map(|part| told.find(part).unwrap_or_else(|| panic!("no {part} in {told}"))).collect();
    assert!(places.is_sorted(), "{told}");
    let journal = told.lines().filter(|line| line.starts_with("{\"t\":"));
    assert!(journal.count() <= 20);
}

#[test]
fn a_boot_after_a_kill_tells_what_is_in_doubt_and_what_was_put_right() {
    let place = Place::booted();
    place.once("pay/1", &["--in-doubt", "treasury"], "kill -9 $PPID");
    let mut journal = place.read("s/journal.jsonl");
    journal.push_str("{\"t\":\"torn");
    std::fs::write(place.file("s/journal.jsonl"), journal).unwrap();
    let boot: Value = serde_json::from_slice(&place.durable(["boot", "--json"]).stdout).unwrap();
    assert_eq!((boot["iteration"].as_u64(), &boot["in_doubt"]), (Some(2), &serde_json::json!(["pay/1"])));
    assert!(boot["amiss"][0].as_str().unwrap().contains("torn"), "{boot}");
    assert!(boot["handoff"].as_str().unwrap().contains("pay/1"), "{boot}");
    assert_eq!(boot["goal"], "pay what is due");
}

#[test]
fn a_boot_without_a_goal_is_refused_and_leaves_every_byte_as_it_was() {
    let place = Place::empty();
    let refused = place.durable(["boot"]);
    assert_eq!(code(&refused), 1);
    assert!(err(&refused).contains("has no goal") && err(&refused).contains("--goal"), "{}", told(&refused));
    assert!(!place.file("s").exists());
    std::fs::create_dir(place.file("s")).unwrap();
    std::fs::write(place.file("s/mission.md"), "# Mission\n\nwater the plants\n").unwrap();
    let booted = place.durable(["boot"]);
    assert_eq!(code(&booted), 0, "{}", told(&booted));
    assert!(place.read("s/handoff.md").contains("Goal: water the plants."));
    let given = Place::empty();
    std::fs::write(given.file("goal.md"), "read the meters").unwrap();
    assert_eq!(code(&given.durable(["boot", "--mission", "goal.md", "--identity", "ada"])), 0);
    assert!(given.read("s/handoff.md").contains("Handoff — ada — iteration 1"), "{}", given.read("s/handoff.md"));
}

#[test]
fn a_session_with_another_goal_is_refused_unless_that_is_meant() {
    let place = Place::booted();
    let before = place.read("s/journal.jsonl");
    std::fs::write(place.file("goal.md"), "water the plants").unwrap();
    let once = ["once", "--goal", "water the plants", "--key", "k", "--idempotent", "--", "touch", "happened"];
    for args in [&["boot", "--goal", "water the plants"][..], &["boot", "--mission", "goal.md"], &once] {
        let refused = place.durable(args);
        assert_eq!(code(&refused), 1, "{}", told(&refused));
        let said = err(&refused);
        assert!(said.contains("it is for `pay what is due`, and `water the plants` was given"), "{said}");
        assert!(said.contains("-s DIR") && said.contains("--join"), "{said}");
    }
    assert!(!place.file("happened").exists());
    assert_eq!(place.read("s/journal.jsonl"), before);
    assert_eq!(code(&place.durable(["boot", "--goal", "pay what is due"])), 0, "it is the same");
    assert_eq!(code(&place.durable(["boot", "--goal", "water the plants", "--join"])), 0);
    assert!(place.read("s/handoff.md").contains("water the plants"));
}

#[test]
fn the_letter_says_how_the_work_is_started_again_and_where() {
    let place = Place::empty();
    let run = "./pay-all --month '2026-09'";
    assert_eq!(code(&place.durable(["boot", "--goal", "pay", "--run", run])), 0);
    let letter = place.read("s/handoff.md");
    assert!(letter.contains("START the script, or the agent,") && !letter.contains("worker"), "{letter}");
    place.durable(["end"]);
    place.durable(["boot"]);
    let dir = place.path().canonicalize().unwrap();
    let command = format!("cd {0} && DURABLE_SESSION={0}/s {run}", dir.display());
    assert!(
        place.read("s/handoff.md").contains(&format!("The work is started with `{command}`.")),
        "{}",
        place.read("s/handoff.md")
    );
    let status = out(&place.durable(["status"]));
    assert!(status.contains(&format!("  started   with `{command}`")), "{status}");
}

#[test]
fn what_is_noted_outlives_the_end() {
    let place = Place::booted();
    for note in [
        &["note", "tone", "dry"][..],
        &["note", "gone", "1"],
        &["note", "gone", "--forget"],
        &["note", "--artifact", "out.pdf", "--digest", "d1", "--about", "the report"],
    ] {
        let noted = place.durable(note);
        assert_eq!(code(&noted), 0, "{}", told(&noted));
    }
    place.durable(["end"]);
    place.durable(["boot"]);
    let state: Value = serde_json::from_str(&place.read("s/state.json")).unwrap();
    assert_eq!(state["memory"]["values"], serde_json::json!({ "tone": "dry" }));
    assert_eq!(state["memory"]["artifacts"], serde_json::json!(["out.pdf"]));
    assert_eq!(state["memory"]["described"][0]["about"], "the report");
}

#[test]
fn a_checkpoint_is_durable_and_says_why() {
    let place = Place::booted();
    assert_eq!(code(&place.durable(["checkpoint", "the model is changed"])), 0);
    let written = place.records("checkpoint");
    assert_eq!(written.last().unwrap()["why"], "the model is changed");
}

#[test]
fn half_of_a_context_is_told_of_once_in_an_iteration() {
    let place = Place::booted();
    let budget = |used: &str| out(&place.durable(["budget", used, "200000", "--json"]));
    assert!(budget("60000").contains("\"fine\""));
    assert!(budget("104000").contains("\"half_used\""));
    assert!(budget("110000").contains("\"low\""));
    assert!(budget("200000").contains("\"spent\""));
    let because = |point: &&Value| point["why"].as_str().is_some_and(|why| why.contains("half of the context"));
    assert_eq!(place.records("checkpoint").iter().filter(because).count(), 1);
    place.durable(["boot"]);
    assert!(budget("110000").contains("\"half_used\""), "another iteration is another context");
}

#[test]
fn the_end_gives_the_last_handoff() {
    let place = Place::booted();
    place.once("pay/1", &["--idempotent"], "true");
    let end = place.durable(["end"]);
    assert_eq!(out(&end), place.read("s/handoff.md"));
    assert!(out(&end).contains("is not running"), "{}", out(&end));
}

#[test]
fn what_is_to_be_typed_is_typed_where_the_reader_is() {
    let place = Place::empty();
    let at = |args: &[&str]| place.durable([&args[..1], &["-s", "my work"], &args[1..]].concat());
    at(&["once", "--goal", "pay", "--key", "pay/1", "--in-doubt", "ada", "--", "sh", "-c", "exit 9"]);
    let resolve = "`durable resolve -s 'my work' pay/1 --happened";
    let boot = out(&at(&["boot"]));
    let (letter, rest) = boot.split_once("# Boot").unwrap();
    assert!(letter.contains("calls its own is `my work`: what it says to type is typed there.)"), "{boot}");
    assert!(rest.contains(&format!("typed here: {resolve}")), "{boot}");
    for args in [&["boot", "--json"][..], &["checkpoint", "half", "--json"]] {
        let answer: Value = serde_json::from_slice(&at(args).stdout).unwrap();
        assert!(answer["next_action"].as_str().unwrap().contains(resolve), "{answer}");
    }
    let end = out(&at(&["end"]));
    assert!(end.contains(resolve) && !end.contains("typed in this directory"), "{end}");
}

#[test]
fn a_dormant_session_has_nothing_to_end() {
    let place = Place::booted();
    place.durable(["end"]);
    let before = place.read("s/journal.jsonl");
    let again = place.durable(["end"]);
    assert_eq!((code(&again), out(&again).as_str()), (0, "There is nothing to end: the session is dormant.\n"));
    assert_eq!(place.read("s/journal.jsonl"), before);
    assert_eq!(code(&Place::empty().durable(["end"])), 2, "there is no session");
}

#[test]
fn a_call_after_the_end_begins_an_iteration() {
    let place = Place::booted();
    place.durable(["end"]);
    assert_eq!(code(&place.once("pay/1", &["--idempotent"], "true")), 0);
    assert_eq!(status(&place), ("awake".to_owned(), 2));
}
