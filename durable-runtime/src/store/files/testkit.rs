//! Logs for the tests of this room.

use uuid::Uuid;

use super::line;
use crate::core::meta::Proof;
use crate::core::record::{Boot, Event, FORMAT, Note, Record, Reserve};
use crate::core::time::Timestamp;
use crate::core::view::StateView;

pub(super) const SESSION: Uuid = Uuid::from_u128(0x5e55_1014);

/// A record; its epoch is 1.
pub(super) fn record(seq: u64, event: impl Into<Event>) -> Record {
    Record { seq, epoch: 1, at: Timestamp::from_millis(seq), event: event.into() }
}

pub(super) fn boot(session: Uuid) -> Boot {
    Boot {
        session,
        format: FORMAT,
        iteration: 1,
        identity: "agent".to_owned(),
        durability: "power_safe".to_owned(),
        library: "0.1.0".to_owned(),
        machine_boot: None,
        pid: 1,
        place: None,
    }
}

pub(super) fn reserve(key: &str) -> Reserve {
    Reserve {
        key: key.into(),
        run: String::new().into(),
        shape: key.to_owned().into(),
        attempt: 1,
        token: Some(Uuid::nil()),
        proof: Proof::Verify,
        ask: "operator".to_owned().into(),
        title: None,
        settle_ms: 0,
        within_ms: None,
        args: None,
        gives: None,
    }
}

pub(super) fn note(text: &str) -> Note {
    Note { text: text.to_owned() }
}

/// Boot and four reservations; each line says that all before it are durable.
pub(super) fn records() -> Vec<Record> {
    let mut records = vec![record(1, boot(SESSION))];
    records.extend((2..=5).map(|seq| record(seq, reserve(&format!("pay_{seq:03}")))));
    records
}

/// The lines of these records, each saying that all before it are durable.
pub(super) fn lines(records: &[Record]) -> Vec<String> {
    let line = |record: &Record| line::encoded(SESSION, record, record.seq - 1, None);
    records.iter().map(line).collect()
}

pub(super) fn log(records: &[Record]) -> Vec<u8> {
    lines(records).concat().into_bytes()
}

/// A state view that knows all up to `synced` to be durable.
pub(super) fn state(synced: u64) -> StateView {
    let text = serde_json::json!({
        "identity": "agent", "session_iteration": 1, "status": "awake", "goal": null,
        "memory": {"actions_taken": [], "artifacts": []},
        "last_action": null, "next_action": null, "open_invariants": [],
        "durable": {"format": FORMAT, "session": SESSION, "seq": synced, "synced": synced, "pid": 42},
    });
    serde_json::from_value(text).unwrap()
}
