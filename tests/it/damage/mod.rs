//! What a session makes of files that a crash, a disk or a hand has changed: it heals what was never acknowledged,
//! verifies what is lost, and refuses what it cannot tell, without touching a byte.

mod lost;
mod mended;
mod nested;
mod newer;
mod refused;
mod script;
mod torn;

use std::collections::BTreeSet;

use durable_runtime::core::record::FORMAT;
use durable_runtime::{Error, Outcome, Session};
use serde_json::Value;

use crate::payments::{Bank, Directory, Files, due, four_payments};

/// Boots what is there, pays what is due, and looks whether everything is as if nothing had ever been damaged. `case`
/// says in a failure what was done to the files.
async fn heals(files: &Files, bank: &Bank, case: &str) -> Directory {
    let directory = Directory::of(files);
    let session = directory.session().open().await.unwrap_or_else(|error| panic!("{case}: {error}"));
    let paid = four_payments(&session, bank, 4).await.unwrap_or_else(|error| panic!("{case}: {error}"));
    session.close().await.unwrap();
    assert_eq!((paid, bank.ledger()), (4, due(4)), "{case}");
    agrees(&directory, case);
    boots_again(&directory, bank, case).await;
    directory
}

/// Journal, registry, state and handoff say the same.
fn agrees(directory: &Directory, case: &str) {
    let files = directory.files();
    let ours: Vec<_> = files.journal().into_iter().filter(|record| record["seq"].is_u64()).collect();
    let seq = |record: &Value| record["seq"].as_u64().unwrap();
    let follows = |pair: &[Value]| seq(&pair[1]) == seq(&pair[0]) + 1 || pair[1]["after"] == pair[0]["seq"];
    assert!(ours.windows(2).all(follows), "{case}: {ours:?}");
    let known: BTreeSet<_> = files.registry().unwrap().into_iter().collect();
    assert!(known.is_superset(&due(4).into_iter().collect()), "{case}: {known:?}");
    let state = files.state().unwrap();
    assert_eq!((state.status.as_str(), state.durable.format), ("dormant", FORMAT), "{case}");
    assert_eq!(Some(state.durable.seq), ours.last().map(seq), "{case}");
    assert!(files.section("Next action")[0].starts_with("1. NOTHING is left to do"), "{case}");
}

/// A second boot finds nothing to mend and nothing to pay.
async fn boots_again(directory: &Directory, bank: &Bank, case: &str) {
    let (mended, asked) = (mended(directory), bank.asked());
    let session = directory.session().open().await.unwrap_or_else(|error| panic!("{case}: {error}"));
    assert_eq!(four_payments(&session, bank, 4).await.unwrap(), 4, "{case}");
    assert_eq!((bank.ledger(), bank.asked()), (due(4), asked), "{case}");
    assert_eq!(self::mended(directory), mended, "{case}");
}

/// How many lines say that something was mended.
fn mended(directory: &Directory) -> usize {
    ["repaired", "lost", "note"].map(|action| directory.files().records(action).len()).iter().sum()
}

/// The error of a boot that refuses these files, and leaves every byte of them as it was.
async fn refused(files: &Files, case: &str) -> Error {
    let directory = Directory::of(files);
    refused_in(&directory, files, case).await
}

async fn refused_in(directory: &Directory, files: &Files, case: &str) -> Error {
    let opened: Result<Session, Error> = directory.session().open().await;
    let Err(error) = opened else { panic!("{case}: it was opened") };
    assert!(error.is_damaged() && error.outcome() == Outcome::Damaged, "{case}: {error}");
    assert_eq!(directory.files().bytes(), files.0, "{case}: a byte was changed");
    error
}

/// The bytes up to `at`, which are all that was left.
fn cut(bytes: &[u8], at: usize) -> Vec<u8> {
    bytes[..at].to_vec()
}
