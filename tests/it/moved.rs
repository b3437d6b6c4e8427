//! Sessions that are not where they were: a copy, a restored backup, a machine that was started anew.

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use durable_runtime::prelude::*;
use durable_runtime::{Durability, adopt};

/// The effects that happened, in their order, and what each verifier was asked.
#[derive(Default)]
struct World {
    happened: RefCell<Vec<&'static str>>,
    asked: RefCell<Vec<&'static str>>,
    /// Whether the work breaks down before the last step.
    breaks: bool,
}

impl World {
    fn act(&self, what: &'static str) -> anyhow::Result<u32> {
        self.happened.borrow_mut().push(what);
        Ok(7)
    }

    fn find(&self, what: &'static str) -> Option<u32> {
        self.asked.borrow_mut().push(what);
        self.happened.borrow().contains(&what).then_some(7)
    }

    fn goes_on(&self) -> anyhow::Result<()> {
        if self.breaks { anyhow::bail!("broken down") } else { Ok(()) }
    }
}

#[durable_workflow(goal = "pay", local)]
async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
    #[side_effect(key = "first", idempotent = "by its name")]
    let first = world.act("first")?;
    #[read(key = "goes on")]
    world.goes_on()?;
    #[side_effect(key = "verified", verify = world.find("verified"), settle = "0s")]
    let verified = world.act("verified")?;
    #[side_effect(key = "repeatable", idempotent = "by its name")]
    let repeatable = world.act("repeatable")?;
    Ok(first + verified + repeatable)
}

async fn open(dir: &Path) -> Result<Session, durable_runtime::Error> {
    Session::open(dir).await
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn content(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> =
        entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect();
    files.sort();
    files
}

/// A session that broke down after its first step, in the first directory, and a copy of it.
async fn broken_down_and_copied(top: &Path) -> std::path::PathBuf {
    let (one, copied) = (top.join("one"), top.join("copy"));
    let world = World { breaks: true, ..World::default() };
    pay(&open(&one).await.unwrap(), &world).await.unwrap_err();
    copy(&one, &copied);
    copied
}

#[tokio::test]
async fn a_copy_does_not_open_by_itself_and_no_byte_of_it_is_changed() {
    let top = tempfile::tempdir().unwrap();
    let copied = broken_down_and_copied(top.path()).await;
    let before = content(&copied);
    let error = open(&copied).await.unwrap_err();
    assert!(error.is_moved(), "{error}");
    assert_eq!(error.outcome().code(), 78, "{error}");
    for word in ["session.lock was", "copied, moved", "durable_runtime::adopt"] {
        assert!(error.to_string().contains(word), "{error}");
    }
    assert_eq!(content(&copied), before);
}

#[tokio::test]
async fn a_directory_that_is_only_called_otherwise_goes_on() {
    let top = tempfile::tempdir().unwrap();
    let one = top.path().join("one");
    pay(&open(&one).await.unwrap(), &World { breaks: true, ..World::default() }).await.unwrap_err();
    let renamed = top.path().join("renamed");
    fs::rename(&one, &renamed).unwrap();
    assert_eq!(pay(&open(&renamed).await.unwrap(), &World::default()).await.unwrap(), 21);
}

#[tokio::test]
async fn in_an_adopted_session_every_effect_without_a_record_is_in_doubt() {
    let top = tempfile::tempdir().unwrap();
    let copied = broken_down_and_copied(top.path()).await;
    adopt(&copied, "ada", "the old disk is gone").await.unwrap();

    // The other copy has done the verified step: it is found, and not done again. The repeatable one is asked about too.
    let world = World::default();
    world.act("verified").unwrap();
    let error = pay(&open(&copied).await.unwrap(), &world).await.unwrap_err().to_string();
    assert_eq!(*world.asked.borrow(), ["verified"]);
    assert_eq!(*world.happened.borrow(), ["verified"]);
    assert!(error.contains("`pay//repeatable` is in doubt") && error.contains("another copy"), "{error}");

    let session = open(&copied).await.unwrap();
    session.resolve("pay//repeatable").did_not_happen().by("ada", "the other copy never came so far").await.unwrap();
    assert_eq!(pay(&session, &world).await.unwrap(), 21);
    assert_eq!(*world.happened.borrow(), ["verified", "repeatable"]);
}

#[tokio::test]
async fn to_adopt_needs_a_name_and_a_reason() {
    let top = tempfile::tempdir().unwrap();
    let copied = broken_down_and_copied(top.path()).await;
    let before = content(&copied);
    for (by, because) in [("", "moved"), ("ada", " ")] {
        let error = adopt(&copied, by, because).await.unwrap_err().to_string();
        assert!(error.contains("needs a name and a reason"), "{error}");
    }
    assert_eq!(content(&copied), before);
}

/// The id of the machine's boot in the log is made that of another one, as a restart would; the checksums follow.
fn restart_the_machine(dir: &Path) {
    let journal = dir.join("journal.jsonl");
    let session: uuid::Uuid = fs::read_to_string(dir.join("session.lock")).unwrap().trim().parse().unwrap();
    let lines = fs::read_to_string(&journal).unwrap();
    let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let resealed = |line: &str| {
        let line = line.replace(boot_id.trim(), "00000000-0000-4000-8000-000000000000");
        let covered = &line[..line.rfind(",\"crc\"").unwrap()];
        let crc = crc32c::crc32c_append(crc32c::crc32c(session.as_bytes()), covered.as_bytes());
        format!("{covered},\"crc\":\"{crc:08x}\"}}\n")
    };
    fs::write(&journal, lines.lines().map(resealed).collect::<String>()).unwrap();
}

#[tokio::test]
async fn a_session_that_trusts_in_memory_is_not_believed_after_the_machine_was_started_anew() {
    for (durability, is_closed, opens) in [
        (Durability::ProcessSafe, false, false),
        (Durability::ProcessSafe, true, true),
        (Durability::PowerSafe, false, true),
    ] {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("session");
        let session = Session::builder(&dir).durability(durability).open().await.unwrap();
        pay(&session, &World { breaks: true, ..World::default() }).await.unwrap_err();
        if is_closed {
            session.close().await.unwrap();
        } else {
            drop(session);
        }
        restart_the_machine(&dir);
        let before = content(&dir);
        let again = open(&dir).await;
        assert_eq!(again.is_ok(), opens, "{durability:?} {is_closed}: {again:?}");
        if let Err(error) = again {
            assert!(error.is_moved() && error.to_string().contains("process_safe"), "{error}");
            assert_eq!(content(&dir), before);
            adopt(&dir, "ada", "the ledger was compared").await.unwrap();
            open(&dir).await.unwrap();
        }
    }
}
