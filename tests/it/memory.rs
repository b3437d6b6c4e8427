//! How much memory it takes to open a session, whatever its files hold: as the kernel says, of a process of its own.

use std::fs::OpenOptions;
use std::process::Command;

use durable_runtime::Durability;
use durable_runtime::prelude::*;

use crate::payments::{Bank, Directory, Files, due, four_payments};

const MEBIBYTE: usize = 1024 * 1024;

/// How long a log, and a line, are tried. `scripts/long` has the feature for a gigabyte.
const LARGE: usize = if cfg!(feature = "long") { 1024 * MEBIBYTE } else { 256 * MEBIBYTE };

/// What a value takes that is not yet kept apart.
const VALUE: usize = 250 * 1024;

/// Opens the session in another process; by how many bytes the memory of that has grown at most.
fn memory(directory: &Directory) -> usize {
    let output = Command::new(env!("CARGO_BIN_EXE_boots")).arg(directory.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse::<usize>().unwrap() * 1024
}

/// The run does not finish, so that nothing of it is left out.
#[durable_workflow(goal = "gather {parts} parts")]
async fn gather(session: &Session, parts: usize) -> anyhow::Result<usize> {
    let mut sum = 0;
    for n in 0..parts {
        #[read(key = "part/{n}")]
        let part = "x".repeat(VALUE);
        sum += part.len();
    }
    anyhow::bail!("gathered {sum}")
}

#[tokio::test]
async fn a_log_of_large_values_is_opened_in_the_memory_of_its_last_lines() {
    let directory = Directory::missing();
    // Without optimization values are slow to write: a quarter of the length will do.
    let log = if cfg!(feature = "long") { LARGE } else { LARGE / 4 };
    let parts = log / VALUE;
    let session = directory.session().durability(Durability::ProcessSafe).open().await.unwrap();
    let error = gather(&session, parts).await.unwrap_err().to_string();
    assert!(error.contains(&format!("gathered {}", parts * VALUE)), "{error}");
    drop(session);
    let length = usize::try_from(directory.files().path("journal.jsonl").metadata().unwrap().len()).unwrap();
    assert!(length > log, "the log has {length} bytes");
    let memory = memory(&directory);
    // The last twenty lines are shown.
    assert!(memory < 24 * MEBIBYTE, "{memory} bytes for a log of {length}");
}

/// A file system has lost what was written, and kept the length.
#[tokio::test(start_paused = true)]
async fn a_line_longer_than_memory_is_not_read_whole() {
    let directory = Directory::of(&Files::killed_in(3).await);
    let journal = OpenOptions::new().write(true).open(directory.files().path("journal.jsonl")).unwrap();
    let stands = journal.metadata().unwrap().len();
    journal.set_len(stands + LARGE as u64).unwrap();
    let memory = memory(&directory);
    assert!(memory < 96 * MEBIBYTE, "{memory} bytes for a line of {LARGE}");
    let repaired = directory.files().records("repaired");
    assert_eq!((repaired.len(), repaired[0]["bytes"].as_u64()), (1, Some(LARGE as u64)));

    let bank = Bank::holding(3);
    let session = directory.session().open().await.unwrap();
    assert_eq!(four_payments(&session, &bank, 4).await.unwrap(), 4);
    assert_eq!(bank.ledger(), due(4));
}

/// As long as a state, a handoff and a registry never are.
#[tokio::test(start_paused = true)]
async fn a_view_longer_than_memory_is_not_read_whole() {
    for view in ["state.json", "handoff.md"] {
        let directory = Directory::of(&Files::killed_in(3).await);
        OpenOptions::new().write(true).open(directory.files().path(view)).unwrap().set_len(LARGE as u64).unwrap();
        let memory = memory(&directory);
        assert!(memory < 64 * MEBIBYTE, "{memory} bytes for {view} of {LARGE}");
    }
}
