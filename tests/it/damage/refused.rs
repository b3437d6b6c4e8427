//! G49: what was acknowledged and can no longer be read is refused, with file, line and key, and nothing is changed.

use std::ops::Range;

use durable_runtime::doctor;

use super::{heals, refused, refused_in};
use crate::payments::{Bank, Directory, Files, due, four_payments};

/// Bytes of the records that are known to have been synced: all up to the greatest `durable` that a record carries.
fn synced(files: &Files) -> Vec<Range<usize>> {
    let mut end = 0;
    let mut lines: Vec<_> = Vec::new();
    for line in files.lines() {
        lines.push(end..end + line.len());
        end += line.len();
    }
    lines.truncate(durable(files));
    lines
}

fn durable(files: &Files) -> usize {
    let number = |line: &&str| serde_json::from_str::<serde_json::Value>(line).unwrap()["durable"].as_u64().unwrap();
    usize::try_from(files.lines().iter().map(number).max().unwrap()).unwrap()
}

/// Puts another byte in each place of the synced records, and expects a refusal that names the line and a key.
async fn refuses_every_flip(files: &Files, flip: impl Fn(u8) -> u8) {
    let directory = Directory::of(files);
    let mut flipped = files.clone();
    for (number, line) in (1..).zip(synced(files)) {
        let text = &files.text("journal.jsonl")[line.clone()];
        for at in line.clone() {
            let journal = flipped.0.get_mut("journal.jsonl").unwrap();
            let byte = journal[at];
            journal[at] = flip(byte);
            if journal[at] == byte {
                continue;
            }
            directory.put("journal.jsonl", journal);
            let case = format!("byte {at} of line {number}");
            let error = refused_in(&directory, &flipped, &case).await.to_string();
            // A line feed in front of a line makes it the next one.
            let number = number + usize::from(at == line.start && flip(byte) == b'\n');
            let key = shown_key(text, at - line.start);
            assert!(error.contains(&format!("journal.jsonl line {number} (key ")), "{case}: {error}");
            assert!(error.contains(key), "{case}: {error}");
            flipped.0.get_mut("journal.jsonl").unwrap()[at] = byte;
        }
    }
}

/// What a refusal must say of the key when the byte `at` of a line is damaged: the line's own, unless that is what is
/// damaged; for a line without one, one next to it.
fn shown_key(line: &str, at: usize) -> &str {
    let Some((before, rest)) = line.split_once(r#","key":""#) else { return "four_payments//pay/" };
    let key = rest.split('"').next().unwrap();
    let own = before.len()..line.len() - rest.len() + key.len() + 1;
    if own.contains(&at) { "" } else { key }
}

#[tokio::test(start_paused = true)]
async fn g49_a_flipped_low_bit_in_any_synced_byte_is_refused() {
    refuses_every_flip(&Files::killed_in(3).await, |byte| byte ^ 0x01).await;
}

#[tokio::test(start_paused = true)]
async fn g49_a_flipped_high_bit_in_any_synced_byte_is_refused() {
    refuses_every_flip(&Files::killed_in(3).await, |byte| byte ^ 0x80).await;
}

#[tokio::test(start_paused = true)]
async fn g49_a_line_feed_in_the_place_of_any_synced_byte_is_refused() {
    refuses_every_flip(&Files::killed_in(3).await, |_| b'\n').await;
}

#[tokio::test(start_paused = true)]
async fn g49_every_byte_of_a_finished_run_is_covered_by_the_marks_behind_it() {
    let finished = Files::finished().await.without(&["state.json"]);
    let end = finished.lines().iter().position(|line| line.contains(r#""action":"end""#)).unwrap();
    assert!(durable(&finished) > end, "the end is not covered: {}", finished.text("journal.jsonl"));
    refuses_every_flip(&finished, |byte| byte ^ 0x04).await;
}

#[tokio::test(start_paused = true)]
async fn g49_the_key_of_a_damaged_line_is_named_and_the_way_out() {
    let files = Files::killed_in(3).await;
    let journal = files.text("journal.jsonl").replacen("pay $1 to invoice 2", "pay $9 to invoice 2", 1);
    let error = refused(&files.with("journal.jsonl", journal), "a title changed").await.to_string();
    let (_, error) = error.split_once("cannot be opened: ").unwrap();
    assert_eq!(
        error,
        "journal.jsonl line 6 (key four_payments//pay/002): this line cannot be read, though record 6, which belongs \
         here, was synced; put back a copy that holds it; an older one has forgotten effects, and lets them happen again; \
         nothing was changed; `durable_runtime::doctor(dir)` says whether it can be put right without loss"
    );
}

/// Each synced record but the first and the last, and what `change` makes of the lines with it.
async fn refuses_every_change(change: impl Fn(&mut Vec<&str>, usize)) {
    let files = Files::killed_in(3).await;
    for index in 1..durable(&files) - 1 {
        let mut lines = files.lines();
        change(&mut lines, index);
        let error = refused(&files.with("journal.jsonl", lines.concat()), &format!("line {}", index + 1)).await;
        assert!(error.to_string().contains("journal.jsonl line "), "{error}");
        assert!(error.to_string().contains("four_payments//pay/"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_line_deleted_from_the_middle_is_refused() {
    refuses_every_change(|lines, index| {
        lines.remove(index);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_line_that_stands_twice_is_refused() {
    refuses_every_change(|lines, index| lines.insert(index, lines[index])).await;
}

#[tokio::test(start_paused = true)]
async fn two_lines_that_changed_places_are_refused() {
    refuses_every_change(|lines, index| lines.swap(index, index + 1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_journal_of_another_session_is_refused() {
    let files = Files::killed_in(3).await;
    let other = files.text("session.lock").replace("0001", "0002");
    let error = refused(&files.with("session.lock", other), "another id in the lock").await;
    assert!(error.to_string().contains("journal.jsonl line 1: it belongs to session"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn what_an_editor_has_made_of_the_lines_is_refused_until_the_doctor_has_put_it_right() {
    let files = Files::killed_in(3).await;
    let text = files.text("journal.jsonl");
    for (case, edited) in [("line ends", text.replace('\n', "\r\n")), ("a mark", format!("\u{feff}{text}"))] {
        let edited = files.with("journal.jsonl", edited);
        let directory = Directory::of(&edited);
        let error = refused_in(&directory, &edited, case).await.to_string();
        assert!(error.contains("`durable_runtime::doctor(dir)`"), "{case}: {error}");
        doctor(directory.path()).await.unwrap().repair().await.unwrap();
        heals(&files.with("journal.jsonl", &*directory.files().bytes()["journal.jsonl"]), &Bank::holding(3), case)
            .await;
    }
    // An empty line is a line of somebody else, and stays.
    for added in ["\n", "\r\n", "\n\n\n"] {
        let (directory, bank) =
            (Directory::of(&files.with("journal.jsonl", format!("{text}{added}"))), Bank::holding(3));
        assert_eq!(four_payments(&directory.session().open().await.unwrap(), &bank, 4).await.unwrap(), 4, "{added:?}");
        assert_eq!(bank.ledger(), due(4), "{added:?}");
    }
}
