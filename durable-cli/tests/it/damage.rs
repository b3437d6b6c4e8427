//! Sessions that no start takes.

use std::fs;

use crate::support::World;

/// A session whose log was changed in the middle.
pub(crate) fn damaged(world: &World, name: &str) {
    world.copy("in_doubt", name);
    let log = world.path(name).join("journal.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("receipt of ada", "receipt of eve", 1)).unwrap();
}

#[test]
fn a_damaged_session_is_told_with_the_way_out_and_its_journal_up_to_the_damage() {
    let world = World::with(&[]);
    damaged(&world, "session");
    let before = world.bytes();
    for command in [&["status"][..], &["handoff"], &["keys"], &["audit"], &["show", "payroll/7//pay/ada"]] {
        let ran = world.durable(command);
        assert_eq!(ran.code, 78, "{ran:?}");
        let told = ran.told();
        assert!(told.contains("journal.jsonl line 5") && told.contains("`durable doctor`"), "{told}");
    }
    let journal = world.durable(&["journal"]);
    assert_eq!((journal.code, journal.out.lines().count()), (78, 4), "{journal:?}");
    let word = world.durable(&["resolve", "payroll/7//pay/bob", "--did-not-happen", "--by", "ada", "--because", "x"]);
    assert_eq!(word.code, 78);
    let doctor = world.durable(&["doctor"]);
    assert!(doctor.code == 78 && doctor.out.contains("only a person can"), "{doctor:?}");
    assert_eq!(world.bytes(), before);
}

#[test]
fn what_can_be_put_right_is_and_the_original_is_kept() {
    let world = World::with(&[]);
    world.copy("in_doubt", "session");
    fs::write(world.path("session/session.lock"), "not an id\n").unwrap();
    let sick = world.durable(&["doctor"]);
    assert!(sick.code == 78 && sick.out.contains("`durable doctor --repair` puts right what can be"), "{sick:?}");
    let mended = world.durable(&["doctor", "--repair"]).done();
    assert!(mended.contains("the original is kept as session.lock.aside-1"), "{mended}");
    assert_eq!(fs::read_to_string(world.path("session/session.lock.aside-1")).unwrap(), "not an id\n");
    assert!(world.durable(&["doctor"]).done().contains("It opens as it is"));
}

#[test]
fn one_bad_session_stops_no_other() {
    let world = World::with(&["asked", "finished"]);
    damaged(&world, "broken");
    fs::create_dir(world.path("no_session")).unwrap();
    let list = world.durable(&["status", "."]);
    assert_eq!(list.code, 78);
    let lines: Vec<_> =
        list.out.lines().map(|line| line.split_whitespace().take(3).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(lines[0], "finished finished");
    assert_eq!(lines[1], "in doubt asked");
    assert!(lines[2].starts_with("damaged broken"), "{list:?}");
    assert_eq!(list.out.lines().last().unwrap(), "3 sessions: 1 finished, 1 in doubt, 1 damaged");
    let json = world.durable(&["status", ".", "--json"]).json();
    assert_eq!(json["exit"], 78);
    assert_eq!(json["sessions"].as_array().unwrap().len(), 3);
    let unfinished = world.durable(&["status", ".", "--unfinished"]);
    assert!(!unfinished.out.contains("finished finished"), "{unfinished:?}");
}

#[test]
fn what_is_no_session_is_a_line_of_the_list() {
    let world = World::with(&["finished"]);
    let list = world.durable(&["status", "finished", "nowhere"]);
    assert_eq!(list.code, 1, "{list:?}");
    let lines: Vec<_> = list.out.lines().collect();
    assert!(lines[1].starts_with("unreadable  nowhere   there is no session in `nowhere`"), "{list:?}");
    assert_eq!(lines[2], "2 sessions: 1 finished, 1 unreadable");
    let nowhere = world.durable(&["status", "nowhere"]).refused(2);
    assert!(nowhere.contains("the sessions under `nowhere` cannot be listed: "), "{nowhere}");
    std::fs::create_dir(world.path("empty")).unwrap();
    let empty = world.durable(&["status", "empty"]).refused(2);
    assert!(empty.contains("there is no session in `empty` or under it"), "{empty}");
}

#[test]
fn what_its_holder_is_writing_at_this_moment_is_no_damage() {
    let world = World::with(&["asked"]);
    let log = world.path("asked/journal.jsonl");
    let mut text = fs::read(&log).unwrap();
    text.extend_from_slice(br#"{"t":"2026-11-30T03:58:17.000Z","action":"bo"#);
    fs::write(&log, text).unwrap();
    assert_eq!(world.durable(&["status", "asked"]).code, 75);
    assert_eq!(world.durable(&["journal", "-s", "asked"]).done().lines().count(), 9);
}

#[test]
fn a_copy_is_read_and_says_that_somebody_must_vouch_for_it() {
    let world = World::with(&["finished"]);
    assert_eq!(world.durable(&["trim", "-s", "finished"]).code, 0);
    // The boot has recorded where the session stands, and a copy stands elsewhere.
    fs::create_dir(world.path("copy")).unwrap();
    for entry in fs::read_dir(world.path("finished")).unwrap() {
        let entry = entry.unwrap();
        if entry.metadata().unwrap().is_file() {
            fs::copy(entry.path(), world.path("copy").join(entry.file_name())).unwrap();
        }
    }
    let status = world.durable(&["status", "copy"]);
    if status.code == 0 {
        return eprintln!("not measured here: the file system does not tell a copy");
    }
    assert_eq!(status.code, 78, "{status:?}");
    assert!(status.out.contains("UNVOUCHED"), "{status:?}");
    assert!(status.out.contains("`durable adopt -s copy --by WHO --because WHY`"), "{status:?}");
    let letter = world.durable(&["handoff", "-s", "copy"]).done();
    assert!(letter.starts_with("First of all: it is not where it was") && letter.contains("# Handoff"), "{letter}");
    let trim = world.durable(&["trim", "-s", "copy"]).refused(78);
    assert!(trim.contains("`durable adopt -s copy --by WHO --because WHY`"), "{trim}");
    let adopted = world.durable(&["adopt", "-s", "copy", "--by", "ada", "--because", "the disk is gone"]).done();
    assert!(adopted.contains("Start the worker"), "{adopted}");
    assert_eq!(world.durable(&["status", "copy"]).code, 0);
}

#[test]
fn nothing_is_begun_where_no_session_is() {
    let world = World::with(&[]);
    let signed = ["--by", "ada", "--because", "x"];
    for args in [
        &["status"][..],
        &["handoff"],
        &["watch"],
        &["journal"],
        &["keys"],
        &["show", "k"],
        &["outline"],
        &["doctor"],
        &["doctor", "--repair"],
        &["audit"],
        &["trim"],
        &[&["adopt"], &signed[..]].concat(),
        &[&["cancel", "r"], &signed[..]].concat(),
        &[&["decide", "k", "1"], &signed[..]].concat(),
        &[&["resolve", "k", "--happened"], &signed[..]].concat(),
    ] {
        let error = world.durable(args).refused(2);
        assert!(error.contains("there is no session in `session`"), "{args:?}: {error}");
        let json = world.durable(&[args, &["--json"]].concat());
        assert_eq!((json.json()["exit"].as_u64(), json.code), (Some(2), 2), "{args:?}");
    }
    assert!(world.bytes().is_empty());
}
