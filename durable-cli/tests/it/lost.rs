//! Logs that are gone, in whole or in part, and sessions that may not be read.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use durable_runtime::Session;

use crate::support::{Ran, World};

/// A session whose log was synced up to its end.
async fn session(world: &World) {
    let session = Session::builder(world.path("session")).goal("read").open().await.unwrap();
    for key in ["pay/1", "pay/2"] {
        session.side_effect(key).in_doubt("ada").run(async |_| Ok::<_, anyhow::Error>(7)).await.unwrap();
    }
    session.close().await.unwrap();
}

fn lossy(world: &World, wanted: &str) {
    let status = world.durable(&["status"]);
    assert!(status.code == 78 && status.out.starts_with("session: LOSSY"), "{status:?}");
    assert!(status.out.contains(wanted) && status.out.contains("BEFORE the next start"), "{status:?}");
    let list = world.durable(&["status", "."]);
    assert!(list.code == 78 && list.out.contains(wanted), "{list:?}");
    let doctor = world.durable(&["doctor"]);
    assert!(doctor.code == 78 && doctor.out.contains("Start nothing yet. journal.jsonl"), "{doctor:?}");
    assert!(!doctor.out.contains("It opens as it is: start"), "{doctor:?}");
    assert!(world.durable(&["doctor", "--json"]).json()["lost"].as_str().unwrap().contains(wanted));
}

#[tokio::test]
async fn a_log_that_is_gone_is_put_back_before_the_next_start() {
    let world = World::with(&[]);
    session(&world).await;
    let log = world.path("session/journal.jsonl");
    let whole = fs::read(&log).unwrap();
    assert_eq!(world.durable(&["status"]).code, 0);
    fs::remove_file(&log).unwrap();
    lossy(&world, "journal.jsonl has no record, though there were ");
    fs::write(&log, "").unwrap();
    fs::set_permissions(&log, Permissions::from_mode(0o600)).unwrap();
    lossy(&world, "journal.jsonl has no record, though there were ");
    let third = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(2).unwrap().0;
    fs::write(&log, &whole[..=third]).unwrap();
    lossy(&world, "journal.jsonl ends at record ");
    fs::write(&log, &whole).unwrap();
    assert_eq!(world.durable(&["status"]).code, 0);
    fs::remove_file(&log).unwrap();
    let letter = world.durable(&["handoff"]).done();
    assert!(letter.starts_with("First of all: journal.jsonl has no record, though there were "), "{letter}");
    assert!(letter.contains("BEFORE the next start") && letter.contains("\n\n# Handoff"), "{letter}");
    fs::write(&log, &whole).unwrap();
    // Only the registry remembers it.
    for name in ["journal.jsonl", "state.json"] {
        fs::remove_file(world.path("session").join(name)).unwrap();
    }
    lossy(&world, "journal.jsonl has no record, though idempotency.json names 2 keys");
    // Whoever starts all the same has gone on without them, and is not warned for ever.
    let session = Session::open(world.path("session")).await.unwrap();
    session.close().await.unwrap();
    let status = world.durable(&["status"]);
    assert!(!status.out.contains("LOSSY"), "{status:?}");
}

#[tokio::test]
async fn a_lock_without_anything_else_is_told_as_that() {
    let world = World::with(&[]);
    session(&world).await;
    for entry in fs::read_dir(world.path("session")).unwrap().map(Result::unwrap) {
        match entry.file_name().to_str() {
            Some("session.lock") => {}
            _ if entry.metadata().unwrap().is_dir() => fs::remove_dir_all(entry.path()).unwrap(),
            _ => fs::remove_file(entry.path()).unwrap(),
        }
    }
    let status = world.durable(&["status"]);
    assert!(status.out.contains("removed everything but session.lock"), "{status:?}");
}

/// Runs the command as somebody who has no rights there, or `None` where nobody can be made one.
fn denied(world: &World, name: &str, args: &[&str]) -> Option<Ran> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    fs::set_permissions(world.path("."), Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_durable"));
    command.args(args).current_dir(world.path(".")).env_remove("DURABLE_SESSION");
    match is_root {
        true => drop(command.uid(65_534)),
        false => fs::set_permissions(world.path(name), Permissions::from_mode(0o000)).unwrap(),
    }
    let output = command.output();
    fs::set_permissions(world.path(name), Permissions::from_mode(0o700)).unwrap();
    let output = output.ok()?;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Some(Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) })
}

#[test]
fn what_may_not_be_read_is_told_as_that_and_whose_it_is() {
    let world = World::with(&["finished"]);
    let Some(list) = denied(&world, "finished", &["status", "."]) else {
        return eprintln!("not measured here: the command cannot be started as another user");
    };
    assert_eq!(list.code, 1, "{list:?}");
    assert!(list.out.starts_with("unreadable  finished") && list.out.contains("permission denied: "), "{list:?}");
    assert!(list.out.ends_with("1 session: 1 unreadable\n"), "{list:?}");
    for args in [
        &["handoff", "-s", "finished"][..],
        &["once", "-s", "finished", "--key", "k", "--idempotent", "--", "true"],
        &["note", "-s", "finished", "name", "value"],
        &["doctor", "-s", "finished"],
        &["resolve", "-s", "finished", "k", "--did-not-happen", "--by", "ada", "--because", "x"],
    ] {
        let ran = denied(&world, "finished", args).unwrap();
        assert!(ran.code == 1 && ran.err.contains("ermission denied"), "{args:?}: {ran:?}");
        assert!(!ran.err.contains("there is no session") && !ran.err.contains("mission file"), "{args:?}: {ran:?}");
    }
    let handoff = denied(&world, "finished", &["handoff", "-s", "finished"]).unwrap().err;
    assert!(
        handoff.contains("belongs to user 0") || handoff.contains("the mode of the directory is 0000"),
        "{handoff}"
    );
}

/// Neither a worker nor a script is left with the number of an error.
#[test]
fn what_may_not_be_made_or_written_is_told_with_a_way_out() {
    let world = World::with(&["finished"]);
    fs::create_dir(world.path("around")).unwrap();
    fs::set_permissions(world.path("around"), Permissions::from_mode(0o555)).unwrap();
    let boot = ["boot", "-s", "around/session", "--goal", "x"];
    let Some(boot) = denied(&world, "finished", &boot) else {
        return eprintln!("not measured here: the command cannot be started as another user");
    };
    assert!(boot.code == 1 && boot.err.contains("name another place for it"), "{boot:?}");
    assert!(boot.err.contains("create around/session: permission denied: "), "{boot:?}");
    std::os::unix::fs::chown(world.path("finished"), Some(65_534), None).ok();
    for file in fs::read_dir(world.path("finished")).unwrap().map(|file| file.unwrap().path()) {
        std::os::unix::fs::chown(&file, Some(65_534), None).ok();
    }
    fs::set_permissions(world.path("finished/idempotency.json"), Permissions::from_mode(0o000)).unwrap();
    let note = ["note", "-s", "finished", "name", "value", "--join"];
    let note = denied(&world, "finished", &note).unwrap();
    assert!(note.code == 1 && note.err.contains("`chmod -R u+rwX`"), "{note:?}");
}
