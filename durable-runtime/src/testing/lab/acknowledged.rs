//! What a log has acknowledged: a boot may refuse a damaged one, and may never cut off what it can still read of it.
//!
//! Read here as `docs/format.md` says, and not by the code that is on trial.

use serde_json::Value;

use super::baseline::session_id;
use crate::testing::machine::Storage;

/// The records of a session that were acknowledged and can be read, as their lines.
pub(super) fn acknowledged(storage: &Storage, session: &str) -> Vec<Vec<u8>> {
    let whole = lines(storage, session).filter(|line| holds(session, line));
    let records = whole.filter_map(|line| Some((line, serde_json::from_slice::<Value>(line).ok()?)));
    let records: Vec<_> = records.collect();
    let durable = records.iter().filter_map(|(_, record)| record["durable"].as_u64()).max();
    let is_durable = |record: &Value| record["seq"].as_u64() <= durable;
    records.iter().filter(|(_, record)| is_durable(record)).map(|(line, _)| line.to_vec()).collect()
}

/// Whether all of these lines stand in the log of a session, but for those that a snapshot stands for.
pub(super) fn stand(records: &[Vec<u8>], storage: &Storage, session: &str) -> bool {
    let covered = covered(storage, session);
    let is_covered = |record: &[u8]| seq(record).is_some_and(|seq| seq <= covered);
    records.iter().all(|record| is_covered(record) || lines(storage, session).any(|line| line == record))
}

fn lines<'a>(storage: &'a Storage, session: &str) -> impl Iterator<Item = &'a [u8]> {
    file(storage, session, "journal.jsonl")
}

/// The last record that the snapshot of a session stands for; 0 if there is none.
fn covered(storage: &Storage, session: &str) -> u64 {
    let trim = file(storage, session, "snapshot.jsonl")
        .filter(|line| holds(session, line))
        .find(|line| serde_json::from_slice::<Value>(line).is_ok_and(|record| record["action"] == "trim"));
    trim.and_then(seq).unwrap_or(0)
}

fn seq(line: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Value>(line).ok()?["seq"].as_u64()
}

fn file<'a>(storage: &'a Storage, session: &str, name: &str) -> impl Iterator<Item = &'a [u8]> {
    let found = storage.visible().find(|(of, file, _)| *of == session && *file == name);
    found.into_iter().flat_map(|(_, _, bytes)| bytes.split(|&byte| byte == b'\n'))
}

/// Whether the checksum of a line holds.
fn holds(session: &str, line: &[u8]) -> bool {
    const CRC: &str = r#","crc":""#;
    let Some((covered, crc)) = std::str::from_utf8(line).ok().and_then(|line| line.rsplit_once(CRC)) else {
        return false;
    };
    let sum = crc32c::crc32c_append(crc32c::crc32c(session_id(session).as_bytes()), covered.as_bytes());
    crc == format!("{sum:08x}\"}}")
}
