//! G21: what a newer version wrote is not understood, so it is refused with both versions named.

use super::refused;
use crate::payments::{Files, ID};

/// CRC32C as its definition says, bit by bit.
fn crc32c(bytes: &[u8]) -> u32 {
    let shift = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), shift))
}

/// A whole line of a session: its checksum holds.
fn line(covered: &str) -> String {
    let id = ID.replace('-', "");
    let byte = |at: usize| u8::from_str_radix(&id[at..at + 2], 16).unwrap();
    let id: Vec<_> = (0..32).step_by(2).map(byte).collect();
    format!("{covered},\"crc\":\"{:08x}\"}}\n", crc32c(&[&id, covered.as_bytes()].concat()))
}

/// The files with another line in the place of the one that `change` is given.
fn rewritten(files: &Files, index: usize, change: impl Fn(&str) -> String) -> Files {
    let mut lines: Vec<_> = files.lines().iter().map(|line| line.to_string()).collect();
    let (covered, _) = lines[index].split_once(r#","crc":""#).unwrap();
    lines[index] = line(&change(covered));
    files.with("journal.jsonl", lines.concat())
}

#[tokio::test(start_paused = true)]
async fn a_line_written_by_hand_with_its_checksum_is_a_record() {
    let files = Files::killed_in(3).await;
    for index in 0..files.lines().len() {
        assert_eq!(rewritten(&files, index, str::to_owned), files, "line {}", index + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn g21_a_boot_record_of_a_newer_format_is_refused() {
    let files = Files::killed_in(3).await;
    let newer = rewritten(&files, 0, |line| line.replace(r#""format":1"#, r#""format":2"#));
    let error = refused(&newer, "format 2 in the boot record").await.to_string();
    assert!(error.contains("journal.jsonl line 1: it has format 2"), "{error}");
    assert!(error.contains("this one knows format 1"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn g21_a_state_of_a_newer_format_is_refused() {
    let files = Files::killed_in(3).await;
    let state = files.text("state.json").replace(r#""format": 1"#, r#""format": 2"#);
    let whole = files.with("state.json", state.clone());
    let other = files.with("state.json", state.replace(r#""identity""#, r#""who""#));
    for newer in [whole, other] {
        let error = refused(&newer, "format 2 in the state").await.to_string();
        assert!(error.contains("state.json: it has format 2"), "{error}");
        assert!(error.contains("this one knows format 1"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn g21_a_record_of_a_kind_that_is_not_known_is_refused_not_skipped() {
    let files = Files::killed_in(3).await;
    for index in 0..files.lines().len() {
        let newer = rewritten(&files, index, |line| {
            let (before, rest) = line.split_once(r#""action":""#).unwrap();
            let (_, after) = rest.split_once('"').unwrap();
            format!(r#"{before}"action":"teleport"{after}"#)
        });
        let error = refused(&newer, &format!("line {}", index + 1)).await.to_string();
        assert!(
            error.contains(&format!("journal.jsonl line {}: it holds a record of the kind `teleport`", index + 1)),
            "{error}"
        );
        assert!(error.contains("this one knows format 1"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn g21_a_record_whose_fields_are_not_those_of_its_kind_is_refused_not_skipped() {
    let files = Files::killed_in(3).await;
    let newer = rewritten(&files, 3, |line| line.replace(r#""attempt":1"#, r#""attempts":[1]"#));
    let error = refused(&newer, "another field").await.to_string();
    assert!(error.contains("journal.jsonl line 4: it holds a record with other fields"), "{error}");
}
