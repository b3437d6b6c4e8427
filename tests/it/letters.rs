//! The letter at every stage of four payments, as it stands in the file. No filters: it is a function of the log alone.

use std::time::Duration;

use durable_runtime::prelude::*;
use insta::assert_snapshot;

use crate::payments::{Bank, Directory, Files, ID, Paid, four_payments};

/// The letter in a file, without the spaces that cover a longer one before it.
fn letter(directory: &Directory) -> String {
    let text = directory.files().handoff().unwrap();
    assert!(!text.contains('\r'), "G71: line feeds only");
    text.trim_end().to_owned()
}

/// The letter that a start leaves which boots, does nothing, and dies.
async fn letter_after_boot(files: &Files) -> String {
    let directory = Directory::of(files);
    drop(directory.session().open().await.unwrap());
    letter(&directory)
}

#[tokio::test(start_paused = true)]
async fn before_the_first_run() {
    let directory = Directory::new();
    drop(directory.session().goal("pay 4 invoices of $1").open().await.unwrap());
    assert_snapshot!(letter(&directory));
}

#[tokio::test(start_paused = true)]
async fn before_the_first_payment() {
    let killed = Files::killed_in(1).await;
    let journal = killed.lines()[..3].concat();
    let files = killed.with("journal.jsonl", journal).with("idempotency.json", "[]");
    assert_snapshot!(letter_after_boot(&files).await);
}

#[tokio::test(start_paused = true)]
async fn while_a_payment_runs() {
    assert_snapshot!(letter(&Directory::of(&Files::killed_in(3).await)));
}

#[tokio::test(start_paused = true)]
async fn between_two_payments() {
    let killed = Files::killed_in(3).await;
    let (lines, registry) = (killed.lines(), r#"["four_payments//pay/001", "four_payments//pay/002"]"#);
    let files = killed.with("journal.jsonl", lines[..lines.len() - 1].concat()).with("idempotency.json", registry);
    assert_snapshot!(letter_after_boot(&files).await);
}

#[tokio::test(start_paused = true)]
async fn in_doubt_with_a_verifier() {
    assert_snapshot!(letter_after_boot(&Files::killed_in(3).await).await);
}

#[tokio::test(start_paused = true)]
async fn in_doubt_because_the_log_is_lost() {
    assert_snapshot!(letter_after_boot(&Files::killed_in(3).await.without(&["journal.jsonl"])).await);
}

#[tokio::test(start_paused = true)]
async fn g39_in_doubt_because_the_payment_was_dropped() {
    let directory = Directory::new();
    let session = directory.session().open().await.unwrap();
    let bank = Bank::hanging("pay/003");
    // The clock of the runtime moves only once there is nothing left to do but to wait for the bank.
    let dropped = tokio::time::timeout(Duration::from_secs(1), four_payments(&session, &bank, 4)).await;
    assert!(dropped.is_err());
    session.close().await.unwrap();
    assert_snapshot!(letter(&directory));
}

/// Money whose arrival only a person can see.
#[durable_workflow(goal = "wire $1 for each of {wires} invoices")]
async fn four_wires(session: &Session, #[resource] bank: &Bank, wires: u32) -> Paid {
    let mut entries = 0;
    for n in 1..=wires {
        #[side_effect(key = "wire/{n:03}" as wire, title = "wire $1 for invoice {n}", in_doubt = "treasury")]
        let entry = bank.book(wire).await?;
        entries = entry;
    }
    Ok(entries)
}

#[tokio::test(start_paused = true)]
async fn in_doubt_with_a_person() {
    let files = Files::killed_at("wire/003", async |session, bank| four_wires(session, bank, 4).await).await;
    let directory = Directory::of(&files);
    assert_snapshot!("while_a_payment_runs_that_only_a_person_can_see", letter(&directory));

    let session = directory.session().open().await.unwrap();
    assert_snapshot!("in_doubt_with_a_person", letter(&directory));
    four_wires(&session, &Bank::holding(3), 4).await.unwrap_err();
    session.close().await.unwrap();
    assert_snapshot!("a_person_was_asked", letter(&directory));

    let session = directory.session().open().await.unwrap();
    session.resolve("four_wires//wire/003").happened(&3).by("Grace", "it is on the statement").await.unwrap();
    session.close().await.unwrap();
    assert_snapshot!("a_person_has_answered", letter(&directory));
}

#[tokio::test(start_paused = true)]
async fn halted_by_an_error() {
    let directory = Directory::new();
    let session = directory.session().open().await.unwrap();
    let bank = Bank::refusing("pay/003");
    four_payments(&session, &bank, 4).await.unwrap_err();
    session.close().await.unwrap();
    assert_snapshot!(letter(&directory));
}

#[tokio::test(start_paused = true)]
async fn done() {
    let files = Files::finished().await;
    assert_snapshot!(letter(&Directory::of(&files)));

    // The process is the one thing in it that differs from life to life.
    let (state, pid) = (files.text("state.json"), format!("\"pid\": {}", std::process::id()));
    assert!(state.contains(ID) && state.contains(&pid), "{state}");
    assert_snapshot!("state_when_done", state.replace(&pid, "\"pid\": 4711"));
}

#[tokio::test(start_paused = true)]
async fn g71_no_letter_holds_a_path_or_a_line_end_of_the_system() {
    let mut directories = vec![Directory::of(&Files::finished().await)];
    for n in 1..=4 {
        directories.push(Directory::of(&Files::killed_in(n).await));
    }
    for directory in directories {
        let letter = letter(&directory);
        let path = directory.path().display().to_string();
        assert!(!letter.contains(&path) && !letter.contains('\\'), "{letter}");
    }
    let attributes = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../.gitattributes")).unwrap();
    assert!(attributes.contains("eol=lf"), "{attributes}");
}

/// It asks for the rate, and nobody answers.
#[durable_workflow(goal = "convert")]
async fn convert(session: &Session) -> Result<f64, Box<dyn std::error::Error + Send + Sync>> {
    #[read(key = "rate", title = "ask for the rate")]
    let rate = Err::<f64, _>(std::io::Error::other("no route to host"))?;
    Ok(rate)
}

/// A `#[read]` reserves nothing, so its run is all that has stopped; its reader needs to know what failed there.
#[tokio::test(start_paused = true)]
async fn a_read_that_failed_is_named() {
    let directory = Directory::new();
    let outcome = directory.session().run(convert).await;
    assert_eq!(outcome, durable_runtime::Outcome::Stopped);
    let letter = letter(&directory);
    assert!(letter.contains("- Error at `convert//rate`: `no route to host`"), "{letter}");
    assert!(letter.contains("1. FIX the cause of the error above, then start the worker again"), "{letter}");
}
