//! The protocol's script writes into the same files: its lines are kept and skipped, its keys are never run.

use std::collections::BTreeSet;

use durable_runtime::prelude::*;

use super::heals;
use crate::payments::{Bank, Directory, Files, due, four_payments};

/// What the script writes when it has run something once, as Python's `json.dumps` spaces it.
const SCRIPT: [&str; 3] = [
    "{\"t\": \"2026-09-13T08:05:00Z\", \"action\": \"boot\", \"iteration\": 2}\n",
    "{\"t\": \"2026-09-13T08:05:01Z\", \"action\": \"run_once_done\", \"key\": \"mail_ann\"}\n",
    "{\"t\": \"2026-09-13T08:05:02Z\", \"action\": \"run_once_skip\", \"key\": \"four_payments//pay/004\"}\n",
];

/// The registry as the script rewrites it: sorted, with spaces behind the commas, and not padded.
fn registry(keys: &[String]) -> String {
    let mut keys: Vec<_> = keys.iter().map(|key| format!("\"{key}\"")).collect();
    keys.sort();
    format!("[{}]", keys.join(", "))
}

#[tokio::test(start_paused = true)]
async fn lines_of_the_script_are_kept_where_they_stand_and_skipped() {
    let files = Files::killed_in(3).await;
    for at in 0..=files.lines().len() {
        let mut lines = files.lines();
        lines.splice(at..at, SCRIPT);
        let bank = Bank::holding(3);
        let case = format!("behind line {at}");
        let directory = heals(&files.with("journal.jsonl", lines.concat()), &bank, &case).await;
        assert_eq!(bank.asked(), ["four_payments//pay/003"], "{case}");
        let after = Files(directory.files().bytes());
        assert_eq!(after.lines()[..lines.len()], lines, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_holds_only_lines_of_the_script_is_a_first_boot_that_keeps_them() {
    let files = Files::default().with("journal.jsonl", SCRIPT.concat());
    let directory = heals(&files, &Bank::default(), "only the script").await;
    assert_eq!(Files(directory.files().bytes()).lines()[..3], SCRIPT);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_the_script_put_into_the_registry_is_verified_never_run() {
    for booked in [true, false] {
        let files = Files::killed_in(3).await.with("idempotency.json", registry(&due(4)));
        let bank = Bank::holding(if booked { 4 } else { 3 });
        let directory = heals(&files, &bank, &format!("booked: {booked}")).await;
        assert_eq!(bank.asked()[..2], due(4)[2..], "booked: {booked}");
        let lost = directory.files().records("lost");
        assert_eq!((lost.len(), &lost[0]["keys"]), (1, &vec![due(4)[3].clone()].into()));
    }
}

#[durable_workflow(key = "mails", goal = "write to {name}")]
async fn mail(session: &Session, #[resource] bank: &Bank, name: &str) -> crate::payments::Paid {
    #[side_effect(key = "mail_{name}" as mail, in_doubt = "postmaster")]
    let sent = bank.book(mail).await?;
    Ok(sent)
}

#[tokio::test(start_paused = true)]
async fn a_key_of_the_script_that_nobody_can_verify_is_asked_never_run() {
    let key = "mails//mail_ann".to_owned();
    let files = Files::default().with("idempotency.json", registry(std::slice::from_ref(&key)));
    let directory = Directory::of(&files.with("session.lock", format!("{}\n", crate::payments::ID)));
    let bank = Bank::default();
    let session = directory.session().open().await.unwrap();
    let error = mail(&session, &bank, "ann").await.unwrap_err();
    let error = error.downcast::<durable_runtime::Error>().unwrap();
    assert!(error.is_in_doubt() && error.key() == Some(&key), "{error}");
    assert!(bank.ledger().is_empty());
    assert!(
        directory.files().section("Next action")[0].contains("ASK postmaster"),
        "{:?}",
        directory.files().section("Next action")
    );
}

#[tokio::test(start_paused = true)]
async fn a_registry_that_the_script_replaces_between_two_payments_keeps_the_keys_of_both() {
    let directory = Directory::new();
    let files = directory.files();
    let bank = Bank::calling(move |key| {
        if key == due(2)[1] {
            let mut keys = files.registry().unwrap();
            keys.push("mail_ann".to_owned());
            let (temporary, name) = (files.path("idempotency.json.tmp"), files.path("idempotency.json"));
            std::fs::write(&temporary, registry(&keys)).unwrap();
            std::fs::rename(temporary, name).unwrap();
        }
    });
    let session = directory.session().open().await.unwrap();
    four_payments(&session, &bank, 4).await.unwrap();
    let keys: BTreeSet<_> = due(4).into_iter().chain(["mail_ann".to_owned()]).collect();
    assert_eq!(directory.files().registry().unwrap().into_iter().collect::<BTreeSet<_>>(), keys);
}
