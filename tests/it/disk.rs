//! A disk that gives errors: what could not be made durable starts nothing, and what could not be recorded is verified.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use durable_runtime::prelude::*;
use durable_runtime::store::files::FilesStore;
use durable_runtime::testing::{Call, CountingDisk, ManualClock, Operation, RealDisk};
use durable_runtime::{Error, SessionBuilder};
use durable_tests::warnings;
use rustix::io::Errno;

use crate::payments::{Bank, Directory, Paid, due, four_payments};

const JOURNAL: &str = "journal.jsonl";

/// What a disk says that is full, over its quota, read-only or broken.
const ERRORS: [Errno; 4] = [Errno::NOSPC, Errno::DQUOT, Errno::ROFS, Errno::IO];

/// The session on a disk that gives the error where `fails` says so.
fn failing(
    directory: &Directory,
    error: Errno,
    fails: impl Fn(Call<'_>) -> bool + Send + Sync + 'static,
) -> SessionBuilder {
    let before = move |call: Call<'_>| if fails(call) { Err(io::Error::from(error)) } else { Ok(()) };
    let disk = CountingDisk::calling(RealDisk::new(directory.path()), before);
    let store = FilesStore::with_disk(Arc::new(disk));
    Session::builder(directory.path()).store(store).identity("payer").clock(ManualClock::default())
}

/// Which operation on the log fails once the second payment is booked, and how many of its kind come before.
#[derive(Clone, Copy, Debug)]
struct Place {
    operation: Operation,
    after: u32,
}

/// The second payment's result is written, and nothing more.
const RESERVATION_IS_NOT_WRITTEN: Place = Place { operation: Operation::Append, after: 1 };
const RESERVATION_IS_NOT_SYNCED: Place = Place { operation: Operation::Sync, after: 0 };
const RESULT_IS_NOT_WRITTEN: Place = Place { operation: Operation::Append, after: 0 };

/// Pays until the disk fails there, once, and then looks that the session goes no further though the disk works again.
async fn fails_once(directory: &Directory, error: Errno, place: Place) -> (Error, Vec<String>) {
    let (is_due, seen) = (Arc::new(AtomicBool::new(false)), AtomicU32::new(0));
    let bank = Bank::calling({
        let is_due = Arc::clone(&is_due);
        move |key| is_due.store(key.ends_with("002"), Ordering::Relaxed)
    });
    let fails = move |call: Call<'_>| {
        let is_there = (call.operation, call.file) == (place.operation, JOURNAL);
        is_due.load(Ordering::Relaxed) && is_there && seen.fetch_add(1, Ordering::Relaxed) == place.after
    };
    let session = failing(directory, error, fails).open().await.unwrap();
    let told = stopped(four_payments(&session, &bank, 4).await);
    assert!(told.to_string().contains(&io::Error::from(error).to_string()), "{place:?}: {told}");
    assert_eq!(bank.ledger(), due(2), "{place:?}, {error}: {told}");
    stopped(another(&session, &bank).await);
    assert_eq!(bank.ledger(), due(2), "{place:?}, {error}: it has gone on");
    (told, bank.ledger())
}

fn stopped(paid: Paid) -> Error {
    *paid.unwrap_err().downcast().expect("an error of the session")
}

/// Work that has nothing to do with what failed.
#[durable_workflow(goal = "pay something else")]
async fn another(session: &Session, #[resource] bank: &Bank) -> Paid {
    #[side_effect(key = "pay" as pay, verify = bank.find(pay))]
    let entry = bank.book(pay).await?;
    Ok(entry)
}

/// The next start, on a disk that works: what was asked of the bank.
async fn goes_on(directory: &Directory, case: &str) -> Vec<String> {
    let bank = Bank::holding(2);
    let session = directory.session().open().await.unwrap_or_else(|error| panic!("{case}: {error}"));
    assert_eq!(four_payments(&session, &bank, 4).await.unwrap_or_else(|error| panic!("{case}: {error}")), 4);
    assert_eq!(bank.ledger(), due(4), "{case}");
    let mut asked = bank.asked();
    // Absence is believed once `settle` is over, so the same question comes twice.
    asked.dedup();
    asked
}

#[tokio::test(start_paused = true)]
async fn a_reservation_that_the_disk_refuses_starts_no_effect_and_names_its_key_whatever_the_error() {
    for error in ERRORS {
        for (place, asked) in [(RESERVATION_IS_NOT_WRITTEN, &due(3)[3..]), (RESERVATION_IS_NOT_SYNCED, &due(3)[2..])] {
            let directory = Directory::new();
            let (told, _) = fails_once(&directory, error, place).await;
            assert_eq!(told.key(), Some("four_payments//pay/003"), "{told}");
            assert_eq!(goes_on(&directory, &format!("{place:?}, {error}")).await, asked, "{place:?}, {error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_the_disk_refuses_is_verified_by_the_next_start_whatever_the_error() {
    for error in ERRORS {
        let directory = Directory::new();
        let (told, _) = fails_once(&directory, error, RESULT_IS_NOT_WRITTEN).await;
        assert_eq!(told.key(), Some("four_payments//pay/002"), "{told}");
        assert_eq!(goes_on(&directory, &error.to_string()).await, &due(2)[1..], "{error}");
    }
}

/// Every write of them fails, from the first boot on.
#[test]
fn views_that_the_disk_refuses_hold_nothing_up_are_told_of_and_are_made_anew() {
    let directory = Directory::new();
    let is_view = |call: Call<'_>| call.file.starts_with("state.json") || call.file.starts_with("handoff.md");
    let writes = [Operation::Create, Operation::WriteAt, Operation::Rename];
    let fails = move |call: Call<'_>| is_view(call) && writes.contains(&call.operation);
    let bank = Bank::default();
    let (paid, told) = warnings::of(async || {
        let session = failing(&directory, Errno::NOSPC, fails).open().await.unwrap();
        let paid = four_payments(&session, &bank, 4).await;
        session.close().await.unwrap();
        paid.unwrap()
    });
    assert_eq!((paid, bank.ledger()), (4, due(4)));
    for view in ["state.json", "handoff.md"] {
        assert!(!directory.files().path(view).exists());
        assert!(told.iter().any(|line| line.contains(view)), "nobody was told of {view}: {told:?}");
    }
    warnings::of(async || directory.session().open().await.unwrap().close().await.unwrap());
    let state = directory.files().state().expect("it is made anew");
    assert_eq!((state.status.as_str(), state.session_iteration), ("dormant", 2));
    assert!(directory.files().section("Next action")[0].starts_with("1. NOTHING is left to do"));
}

/// The names of its files are not durable, so there is no session: no effect starts, and the next start is the first.
#[tokio::test(start_paused = true)]
async fn a_directory_that_cannot_be_synced_begins_no_session() {
    for (operation, file, after) in [
        (Operation::CreateDir, ".", 0),
        (Operation::SyncParent, ".", 0),
        (Operation::Sync, "session.lock", 0),
        (Operation::SyncDir, ".", 0),
        (Operation::SyncDir, ".", 1),
    ] {
        let directory = Directory::missing();
        let seen = AtomicU32::new(0);
        let fails = move |call: Call<'_>| {
            (call.operation, call.file) == (operation, file) && seen.fetch_add(1, Ordering::Relaxed) == after
        };
        let case = format!("{operation:?} {file} after {after}");
        let error = failing(&directory, Errno::IO, fails).open().await.expect_err(&case);
        assert!(error.to_string().contains("cannot be opened"), "{case}: {error}");
        assert!(directory.files().journal().is_empty(), "{case}: there is a record");
        let session = directory.session().open().await.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(session.iteration(), 1, "{case}");
    }
}

/// Three steps in a process that may have so many files open at once.
fn with_descriptors(directory: &Directory, most: u32) -> Output {
    let script = format!("ulimit -n {most} && exec \"$0\" \"$1\" 3");
    let steps = [env!("CARGO_BIN_EXE_steps").into(), directory.path().into_os_string()];
    Command::new("sh").args(["-c", &script]).args(steps).output().unwrap()
}

#[test]
fn a_boot_that_can_open_no_more_files_is_refused_before_it_has_changed_anything() {
    let directory = Directory::new();
    let bytes = || -> BTreeMap<String, Vec<u8>> { directory.files().bytes() };
    let boots = || directory.files().records("boot").len();
    let mut refused = 0;
    // Fewer, and the process does not come so far as to open a session.
    for most in 3.. {
        let (before, booted) = (bytes(), boots());
        let output = with_descriptors(&directory, most);
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            break;
        }
        if boots() == booted {
            assert_eq!(bytes(), before, "{most} descriptors: {said}");
            refused += u32::from(said.contains("cannot be opened") && said.contains("Too many open files"));
        }
        assert!(most < 100, "{said}");
    }
    assert!(refused > 0, "no boot was refused for want of descriptors");
    assert!(with_descriptors(&directory, 100).status.success());
}

/// It was not made, and nothing that was written is lost by it: the call is made again until it has ended.
#[test]
fn a_sync_that_a_signal_interrupts_is_made_again_before_anything_relies_on_it() {
    let directory = Directory::new();
    let log = directory.path().with_file_name("strace.log");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EINTR:when=1", "-o"]).arg(&log);
    let Ok(output) = strace.arg(env!("CARGO_BIN_EXE_steps")).arg(directory.path()).arg("3").output() else {
        return writeln!(io::stderr(), "\nnot measured here: there is no strace\n").unwrap();
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("strace:") {
        return writeln!(io::stderr(), "\nnot measured here: strace cannot trace: {said}\n").unwrap();
    }
    assert!(output.status.success(), "{said}");
    let calls = std::fs::read_to_string(log).unwrap();
    let ended = |how: &str| calls.lines().filter(|line| line.contains("fdatasync(") && line.contains(how)).count();
    assert!(ended("EINTR") > 0, "{calls}");
    assert!(ended("= 0") >= 4, "one for each reservation, and one for the end: {calls}");
    assert_eq!(directory.files().records("done").len(), 3);
}
