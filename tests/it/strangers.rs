//! What in a session's directory is not as a session makes it: open to others, somebody else's, or no file at all.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use durable_runtime::prelude::*;
use durable_runtime::{Error, Word, doctor, post};

use crate::payments::{Bank, Directory, Files, due, four_payments};

/// The files that a session has from its first boot on.
const FILES: [&str; 5] = ["session.lock", "journal.jsonl", "idempotency.json", "state.json", "handoff.md"];

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A session whose second payment was booked when it was killed.
async fn killed() -> Directory {
    Directory::of(&Files::killed_in(2).await)
}

/// Pays what is due, and looks that nothing is paid twice.
async fn goes_on(directory: &Directory) {
    let bank = Bank::holding(2);
    let session = directory.session().open().await.unwrap();
    assert_eq!(four_payments(&session, &bank, 4).await.unwrap(), 4);
    assert_eq!((bank.ledger(), bank.asked()), (due(4), due(2)[1..].to_vec()));
    session.close().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn who_could_write_to_a_session_is_shut_out_and_that_is_told_once() {
    let directory = killed().await;
    let (top, journal, state) = (directory.path(), directory.path().join(FILES[1]), directory.path().join(FILES[3]));
    set_mode(&top, 0o777);
    set_mode(&journal, 0o666);
    set_mode(&state, 0o644);
    let found: Vec<String> = doctor(&top).await.unwrap().findings().iter().map(ToString::to_string).collect();
    for words in
        [".: others may write to it", "journal.jsonl: others may write to it", "state.json: others may read it"]
    {
        let is_told =
            |finding: &String| finding.starts_with(words) && finding.ends_with("the next boot shuts them out");
        assert!(found.iter().any(is_told), "{words}: {found:?}");
    }
    assert_eq!((mode(&top), mode(&journal), mode(&state)), (0o777, 0o666, 0o644), "to look changes nothing");

    goes_on(&directory).await;
    for _ in 0..2 {
        directory.session().open().await.unwrap().close().await.unwrap();
        assert_eq!((mode(&top), mode(&journal), mode(&state)), (0o700, 0o600, 0o600));
        let notes = directory.files().records("note");
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert_eq!(
            notes[0]["text"],
            "the session was not its owner's alone, and is now: .: others may write to it, and may have (mode 0777), \
             journal.jsonl: others may write to it, and may have (mode 0666)"
        );
    }
}

/// What belongs to whom, with every byte.
fn everything(directory: &Directory) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let entries = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), (mode(&path), fs::read(&path).unwrap_or_default()))).collect()
}

#[tokio::test(start_paused = true)]
async fn a_session_of_somebody_else_is_refused_by_everything_that_writes_and_is_left_as_it_is() {
    const SOMEBODY: u32 = 54_321;
    for name in FILES.into_iter().chain(["."]) {
        let directory = killed().await;
        let path = directory.path().join(name);
        if chown(&path, Some(SOMEBODY), None).is_err() {
            return writeln!(std::io::stderr(), "\nnot measured here: only root gives files away\n").unwrap();
        }
        let before = everything(&directory);
        let told = format!("it belongs to user {SOMEBODY}, and this process is user 0");
        let refused = |error: Error| {
            let error = error.to_string();
            assert!(error.contains(&told) && error.contains("start it as that user"), "{name}: {error}");
        };
        refused(directory.session().open().await.unwrap_err());
        refused(durable_runtime::adopt(directory.path(), "ada", "it is mine").await.unwrap_err());
        let diagnosis = doctor(directory.path()).await.unwrap();
        assert!(!diagnosis.opens() && diagnosis.to_string().contains(&told), "{name}: {diagnosis}");
        refused(diagnosis.repair().await.unwrap_err());
        assert_eq!(everything(&directory), before, "{name}");
        chown(&path, Some(0), None).unwrap();
        goes_on(&directory).await;
    }
}

#[durable_workflow(goal = "write a cheque")]
async fn cheque(session: &Session) -> anyhow::Result<()> {
    #[side_effect(key = "cheque", in_doubt = "ada")]
    let _written: () = Err(anyhow::anyhow!("the pen is empty"))?;
    Ok(())
}

/// It would lie in a directory that the session's owner cannot read.
#[tokio::test(start_paused = true)]
async fn no_word_is_left_for_a_session_of_somebody_else() {
    let directory = Directory::missing();
    cheque(&directory.session().open().await.unwrap()).await.unwrap_err();
    if chown(directory.path(), Some(54_321), None).is_err() {
        return writeln!(std::io::stderr(), "\nnot measured here: only root gives files away\n").unwrap();
    }
    let word = || Word::resolve("cheque//cheque").happened(&()).by("ada", "it is in the book");
    let error = post(directory.path(), word()).await.unwrap_err().to_string();
    assert!(error.contains("it belongs to user 54321"), "{error}");
    assert!(!directory.path().join("inbox").exists());
    chown(directory.path(), Some(0), None).unwrap();
    post(directory.path(), word()).await.unwrap();
}

/// What may bear the name of a file.
#[derive(Clone, Copy, Debug)]
enum Strange {
    Link,
    SecondName,
    Pipe,
    Folder,
}

impl Strange {
    /// Puts it there; what was there lies beside the session.
    fn put(self, path: &Path) {
        let aside = path.parent().unwrap().with_extension("aside");
        fs::rename(path, &aside).unwrap();
        match self {
            Self::Link => symlink(&aside, path).unwrap(),
            Self::SecondName => fs::hard_link(&aside, path).unwrap(),
            Self::Pipe => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            Self::Folder => fs::create_dir(path).unwrap(),
        }
    }

    fn take_away(self, path: &Path) {
        let aside = path.parent().unwrap().with_extension("aside");
        match self {
            Self::Folder => fs::remove_dir(path).unwrap(),
            _ => fs::remove_file(path).unwrap(),
        }
        fs::rename(aside, path).unwrap();
    }
}

/// Nothing is read through it, and a pipe that nobody writes to is not waited for.
#[tokio::test(start_paused = true)]
async fn what_is_no_file_of_its_own_is_refused_under_the_name_of_any_file_and_left_as_it_is() {
    for strange in [Strange::Link, Strange::SecondName, Strange::Pipe, Strange::Folder] {
        for name in FILES {
            let directory = killed().await;
            let path = directory.path().join(name);
            strange.put(&path);
            let names = || fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name());
            let before: Vec<_> = names().collect();
            let error = directory.session().open().await.unwrap_err().to_string();
            assert!(error.contains(name), "{strange:?} {name}: {error}");
            assert_eq!(names().collect::<Vec<_>>(), before, "{strange:?} {name}");
            strange.take_away(&path);
            goes_on(&directory).await;
        }
    }
}
