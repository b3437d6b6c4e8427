//! A view decides nothing: one that is torn, empty or gone is made anew. So is a registry beside a whole log.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{cut, heals};
use crate::payments::{Bank, Directory, Files, due};

/// What may stand in the place of a file that should be JSON.
const GARBAGE: [&[u8]; 7] = [b"", b"\0\0\0\0", b"{", b"[1]", b"null", b"not json at all\n", b"\xff\xfe"];

#[tokio::test(start_paused = true)]
async fn a_state_torn_at_any_byte_is_made_anew_at_the_boot() {
    let files = Files::killed_in(3).await;
    let state = files.0["state.json"].clone();
    let booted = async |state: &[u8]| {
        let directory = Directory::of(&files.with("state.json", state));
        drop(directory.session().open().await.unwrap());
        directory.files().state().unwrap()
    };
    let whole = booted(&state).await;
    for at in 0..state.len() {
        assert_eq!(booted(&state[..at]).await, whole, "{at} bytes left");
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_that_is_garbage_or_gone_is_made_anew() {
    let files = Files::killed_in(3).await;
    let whole = heals(&files, &Bank::holding(3), "nothing").await.files().state().unwrap();
    let broken = GARBAGE.iter().map(|garbage| files.with("state.json", *garbage));
    for files in broken.chain([files.without(&["state.json"])]) {
        let case = format!("state.json: {:?}", files.0.get("state.json"));
        let again = heals(&files, &Bank::holding(3), &case).await.files().state().unwrap();
        assert_eq!(again, whole, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_handoff_is_told_in_the_journal() {
    let files = Files::killed_in(3).await.without(&["handoff.md"]);
    let directory = heals(&files, &Bank::holding(3), "no handoff").await;
    let notes = directory.files().records("note");
    assert_eq!(notes.len(), 1);
    assert!(notes[0]["text"].as_str().unwrap().starts_with("no handoff was found"), "{notes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_handoff_of_garbage_harms_nobody() {
    let files = Files::killed_in(3).await;
    for garbage in GARBAGE {
        heals(&files.with("handoff.md", garbage), &Bank::holding(3), &format!("handoff.md: {garbage:?}")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_registry_torn_at_any_byte_of_its_keys_is_made_anew_from_a_whole_log() {
    let files = Files::killed_in(3).await;
    let registry = files.0["idempotency.json"].clone();
    let keys = registry.iter().rposition(|&byte| byte == b'"').unwrap() + 1;
    for at in (0..keys + 2).chain(registry.len() - 3..registry.len()) {
        let torn = files.with("idempotency.json", cut(&registry, at));
        let directory = heals(&torn, &Bank::holding(3), &format!("{at} bytes left")).await;
        assert_eq!(directory.files().registry().unwrap(), due(4), "{at} bytes left");
    }
}

#[tokio::test(start_paused = true)]
async fn a_registry_that_is_garbage_gone_or_old_is_made_anew_from_a_whole_log() {
    let files = Files::killed_in(3).await;
    let old = Files::killed_in(2).await.0["idempotency.json"].clone();
    let broken = GARBAGE.iter().map(|garbage| files.with("idempotency.json", *garbage));
    let gone = [files.without(&["idempotency.json"]), files.with("idempotency.json", old)];
    for files in broken.chain(gone) {
        let case = format!("idempotency.json: {:?}", files.0.get("idempotency.json"));
        let directory = heals(&files, &Bank::holding(3), &case).await;
        let known: BTreeSet<_> = directory.files().registry().unwrap().into_iter().collect();
        assert_eq!(known, due(4).into_iter().collect(), "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lock_file_that_is_gone_empty_or_torn_gets_its_id_back() {
    let files = Files::killed_in(3).await;
    let lock = files.0["session.lock"].clone();
    let torn = (0..lock.len()).map(|at| files.with("session.lock", cut(&lock, at)));
    for files in torn.chain([files.without(&["session.lock"])]) {
        let case = format!("session.lock: {:?}", files.0.get("session.lock"));
        let directory = heals(&files, &Bank::holding(3), &case).await;
        assert_eq!(directory.files().bytes()["session.lock"], lock, "{case}");
    }
}

/// Whatever a hand has written there, the log says what is true.
#[tokio::test(start_paused = true)]
async fn a_state_that_a_hand_has_edited_decides_nothing() {
    let files = Files::killed_in(3).await;
    let whole = heals(&files, &Bank::holding(3), "nothing").await.files().state().unwrap();
    let edit = |pointer: &str, value: Value| {
        let mut state: Value = serde_json::from_str(files.text("state.json")).unwrap();
        *state.pointer_mut(pointer).unwrap_or_else(|| panic!("there is no {pointer}")) = value;
        files.with("state.json", state.to_string())
    };
    for (pointer, value) in [
        ("/status", json!("dormant")),
        ("/status", json!("done")),
        ("/memory/actions_taken", json!(["four_payments//pay/003", "four_payments//pay/004"])),
        ("/memory/artifacts", json!(["all.txt"])),
        ("/last_action", json!("paid everything")),
        ("/next_action", json!("pay invoice 1 again")),
        ("/open_invariants", json!([])),
        ("/goal", json!("pay everything twice")),
        ("/durable/pid", json!(1)),
        ("/durable/seq", json!(0)),
        ("/durable/synced", json!(0)),
    ] {
        let case = format!("{pointer} is {value}");
        let bank = Bank::holding(3);
        let again = heals(&edit(pointer, value), &bank, &case).await.files().state().unwrap();
        assert_eq!((again, bank.asked()), (whole.clone(), due(3)[2..].to_vec()), "{case}");
    }
    // It says that there were more records: they are taken for lost, and what the registry names is verified.
    let bank = Bank::holding(3);
    let directory = heals(&edit("/durable/synced", json!(1_000)), &bank, "more records").await;
    assert_eq!((directory.files().records("lost").len(), bank.ledger()), (1, due(4)));
}
