//! A record that was not written to its end was never acknowledged: it goes, and the next one is not glued to it.

use crate::payments::{Bank, Directory, Files};

use super::{cut, heals};

/// A kill between the result of a payment and the reservation of the next: the result is the last record.
fn before_the_reservation(files: &Files) -> Files {
    let lines = files.lines();
    let journal = lines[..lines.len() - 1].concat();
    unwitnessed(files).with("journal.jsonl", journal)
}

/// A kill in the middle of a reservation: the registry does not have its key yet.
fn unwitnessed(files: &Files) -> Files {
    let registry = files.text("idempotency.json").replace(r#","four_payments//pay/003""#, &" ".repeat(25));
    files.with("idempotency.json", registry)
}

/// Every file that a crash in the middle of the last record can leave.
fn torn(files: &Files) -> impl Iterator<Item = (usize, Files)> {
    let journal = &files.0["journal.jsonl"];
    let last = files.lines().last().unwrap().len();
    (0..=last).map(move |left| (left, files.with("journal.jsonl", cut(journal, journal.len() - last + left))))
}

/// How many bytes at which line the journal says were cut off, each time it says so.
fn cuts(directory: &Directory) -> Vec<(u64, u64)> {
    let number = |value: &serde_json::Value| value.as_u64().unwrap();
    let cuts = directory.files().records("repaired");
    cuts.iter().map(|cut| (number(&cut["bytes"]), number(&cut["line"]))).collect()
}

/// What the journal must say of `left` bytes of the last line.
fn told(files: &Files, left: usize) -> Vec<(u64, u64)> {
    let lines = files.lines();
    let is_torn = left > 0 && left < lines[lines.len() - 1].len();
    if is_torn { vec![(left as u64, lines.len() as u64)] } else { Vec::new() }
}

#[tokio::test(start_paused = true)]
async fn g46_a_result_torn_at_any_byte_is_verified_and_the_cut_is_told_once() {
    let whole = before_the_reservation(&Files::killed_in(3).await);
    let last = whole.lines().last().unwrap().len();
    for (left, files) in torn(&whole) {
        let bank = Bank::holding(2);
        let directory = heals(&files, &bank, &format!("{left} bytes left")).await;
        assert_eq!(cuts(&directory), told(&whole, left), "{left} bytes left");
        let in_doubt = if left == last { Vec::new() } else { vec!["four_payments//pay/002".to_owned()] };
        assert_eq!(bank.asked(), in_doubt, "{left} bytes left");
    }
}

#[tokio::test(start_paused = true)]
async fn g46_a_reservation_torn_at_any_byte_never_had_an_effect_and_the_cut_is_told_once() {
    let whole = unwitnessed(&Files::killed_in(3).await);
    let last = whole.lines().last().unwrap().len();
    for (left, files) in torn(&whole).filter(|&(left, _)| left < last) {
        let bank = Bank::holding(2);
        let directory = heals(&files, &bank, &format!("{left} bytes left")).await;
        assert_eq!(cuts(&directory), told(&whole, left), "{left} bytes left");
        assert!(bank.asked().is_empty(), "{left} bytes left: the verifier was asked");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reservation_that_only_the_registry_still_names_is_verified() {
    let whole = Files::killed_in(3).await;
    for (left, files) in torn(&whole) {
        let bank = Bank::holding(3);
        heals(&files, &bank, &format!("{left} bytes left")).await;
        assert_eq!(bank.asked(), ["four_payments//pay/003"], "{left} bytes left");
    }
}

#[tokio::test(start_paused = true)]
async fn g47_the_record_behind_a_torn_one_stands_on_a_line_of_its_own() {
    let whole = before_the_reservation(&Files::killed_in(3).await);
    let stands = whole.lines().len() - 1;
    for (left, files) in torn(&whole).filter(|&(left, _)| !told(&whole, left).is_empty()) {
        let directory = Directory::of(&files);
        directory.session().open().await.unwrap().close().await.unwrap();
        let after = Files(directory.files().bytes());
        assert_eq!(after.lines()[..stands], whole.lines()[..stands], "{left} bytes left");
        let next: serde_json::Value = serde_json::from_str(after.lines()[stands]).unwrap();
        assert_eq!((&next["action"], &next["seq"]), (&"boot".into(), &(stands + 1).into()), "{left} bytes left");
    }
}

#[tokio::test(start_paused = true)]
async fn g55_bytes_that_are_no_text_are_a_torn_tail() {
    let whole = Files::killed_in(3).await;
    for tail in [&b"\xff"[..], b"\xff\n", b"\xff\xfe\xff", b"{\"t\":\"\xff", &[0; 4096]] {
        let files = whole.with("journal.jsonl", [&whole.0["journal.jsonl"], tail].concat());
        let directory = heals(&files, &Bank::holding(3), &format!("{tail:?} appended")).await;
        assert_eq!(cuts(&directory), [(tail.len() as u64, whole.lines().len() as u64 + 1)]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_torn_tail_of_several_lines_is_cut_from_its_first() {
    let whole = Files::killed_in(3).await;
    let tail = b"half a line\n{\"seq\":9,\"epoch\":1}\nand more";
    let files = whole.with("journal.jsonl", [&whole.0["journal.jsonl"], &tail[..]].concat());
    let directory = heals(&files, &Bank::holding(3), "three lines appended").await;
    assert_eq!(cuts(&directory), [(tail.len() as u64, whole.lines().len() as u64 + 1)]);
}

#[tokio::test(start_paused = true)]
async fn a_flipped_byte_that_was_never_acknowledged_is_a_torn_tail_and_its_keys_are_verified() {
    let whole = Files::killed_in(3).await;
    let journal = &whole.0["journal.jsonl"];
    // The reservation says that the result before it was not synced yet when it was written.
    let unsynced: usize = whole.lines().iter().rev().take(2).map(|line| line.len()).sum();
    for at in (journal.len() - unsynced..journal.len()).step_by(7) {
        let mut flipped = journal.clone();
        flipped[at] ^= 1;
        let bank = Bank::holding(3);
        let case = format!("byte {at} flipped");
        let directory = heals(&whole.with("journal.jsonl", flipped), &bank, &case).await;
        assert_eq!(cuts(&directory).len(), 1, "{case}");
        assert_eq!(bank.asked().last().unwrap(), "four_payments//pay/003", "{case}");
    }
}
