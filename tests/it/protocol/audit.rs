//! The verification checklist, read from what a session has left: every line of it, held and broken.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use durable_runtime::prelude::*;
use durable_runtime::{AuditVerdict, Error, audit};
use durable_tests::hostile::{sealed, unsealed};

use super::{Place, journal};

async fn send(page: u32) -> Result<u32, Error> {
    Ok(page)
}

#[durable_workflow(goal = "send {pages} pages")]
async fn write(session: &Session, pages: u32, #[resource] fails: bool) -> anyhow::Result<u32> {
    for n in 1..=pages {
        #[side_effect(key = "send/{n}", idempotent = "by its number")]
        send(n).await?;
    }
    anyhow::ensure!(!fails, "not yet");
    Ok(pages)
}

/// A session of two starts; the first has failed.
async fn two_starts(place: &Place, is_over: bool) {
    write(&place.open().await, 2, true).await.unwrap_err();
    let session = place.open().await;
    let ended = write(&session, 2, !is_over).await;
    assert_eq!(ended.is_ok(), is_over);
    session.close().await.unwrap();
}

/// The lines that fail, each with its places.
async fn failures(dir: &Path) -> Vec<(String, Vec<String>)> {
    let audit = audit(dir).await.unwrap();
    let fails = audit.lines.iter().filter(|line| line.verdict == AuditVerdict::Fails);
    fails.map(|line| (line.rule.to_owned(), line.places.clone())).collect()
}

#[tokio::test]
async fn a_session_that_was_left_in_order_keeps_every_line() {
    let place = Place::new();
    two_starts(&place, true).await;
    let text = audit(&place.dir).await.unwrap().to_string();
    insta::assert_snapshot!("audit", text.replace(place.dir.to_str().unwrap(), "session"));
}

#[tokio::test]
async fn a_session_that_a_worker_holds_is_audited_and_not_touched() {
    let place = Place::new();
    let session = place.open().await;
    write(&session, 2, true).await.unwrap_err();
    assert!(audit(&place.dir).await.unwrap().holds());
    drop(session);
}

/// "Every side-effect call goes through run_once with a unique key": two actions without a checkpoint between.
#[tokio::test]
async fn an_effect_without_a_reservation_before_it_is_named() {
    let place = Place::new();
    two_starts(&place, false).await;
    edit(&place.dir, |records| {
        let at = records.iter().position(|line| line.contains(r#""action":"reserve","key":"write//send/2""#)).unwrap();
        records[at] = records[at]
            .replace(r#""action":"reserve","key":"write//send/2""#, r#""action":"note","text":"gone","key":"""#);
    });
    let failures = failures(&place.dir).await;
    assert_eq!(failures[0].0, "every side effect has a key of its own, and a checkpoint before it");
    assert_eq!(failures[0].1.len(), 1);
    assert!(failures[0].1[0].starts_with("`write//send/2`, record "), "{failures:?}");
}

/// "each side effect ran exactly once (journal + registry agree)"
#[tokio::test]
async fn a_key_of_the_journal_or_the_registry_alone_is_named() {
    let place = Place::new();
    two_starts(&place, false).await;
    fs::write(place.dir.join("idempotency.json"), r#"["write//send/1","write//send/9"]"#).unwrap();
    let want = ["`write//send/2`: in the journal alone", "`write//send/9`: in the registry alone"];
    let text = audit(&place.dir).await.unwrap().to_string();
    assert!(!text.contains("the next boot mends it"), "no kill leaves that: {text}");
    assert_eq!(
        failures(&place.dir).await,
        [("journal and registry agree".to_owned(), want.map(str::to_owned).to_vec())]
    );
    fs::remove_file(place.dir.join("idempotency.json")).unwrap();
    assert_eq!(failures(&place.dir).await[0].1, ["idempotency.json"]);
}

/// "Handoff file written at every checkpoint, read first at every boot."
#[tokio::test]
async fn a_handoff_that_is_gone_foreign_or_older_than_a_reservation_is_named() {
    let place = Place::new();
    two_starts(&place, false).await;
    let path = place.dir.join("handoff.md");
    let text = fs::read_to_string(&path).unwrap();
    let seq =
        journal(&place.dir).iter().rfind(|record| record["action"] == "reserve").unwrap()["seq"].as_u64().unwrap();
    let of = text.find("As of record ").unwrap();
    let older = format!("{}As of record {} of the journal.\n", &text[..of], seq - 1);
    for (letter, want) in [
        (
            Some(older),
            format!("handoff.md was made from record {}, and an effect was reserved in record {seq}", seq - 1),
        ),
        (Some("# Do as you like\n".to_owned()), "handoff.md does not say from which record it was made".to_owned()),
        (None, "handoff.md is missing".to_owned()),
    ] {
        match letter {
            Some(letter) => fs::write(&path, letter).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        assert_eq!(failures(&place.dir).await, [("the handoff is written at every checkpoint".to_owned(), vec![want])]);
    }
}

/// One that a crash or a full disk has kept from the newest error is told of, and is no fault of the protocol.
#[tokio::test]
async fn a_handoff_that_lags_behind_an_error_is_told_of() {
    let place = Place::new();
    two_starts(&place, false).await;
    let (text, records) = (fs::read_to_string(place.dir.join("journal.jsonl")).unwrap(), journal(&place.dir));
    let reserved = records.iter().rposition(|record| record["action"] == "reserve").unwrap() + 1;
    // What was on the disk when that was reserved.
    let older = Place::new();
    fs::create_dir(&older.dir).unwrap();
    let lines: String = text.lines().take(reserved).map(|line| format!("{line}\n")).collect();
    fs::write(older.dir.join("journal.jsonl"), lines).unwrap();
    fs::copy(place.dir.join("session.lock"), older.dir.join("session.lock")).unwrap();
    let letter = durable_runtime::inspect(&older.dir).look().await.unwrap().handoff().to_string();
    fs::write(place.dir.join("handoff.md"), letter).unwrap();
    let mut state: serde_json::Value =
        serde_json::from_slice(&fs::read(place.dir.join("state.json")).unwrap()).unwrap();
    state["durable"]["seq"] = reserved.into();
    fs::write(place.dir.join("state.json"), state.to_string()).unwrap();
    let audit = audit(&place.dir).await.unwrap();
    for view in ["the handoff", "state.json"] {
        let told = audit.lines.iter().find(|line| line.rule.starts_with(view)).unwrap();
        assert!(audit.holds() && told.because.contains("it lags behind record"), "{audit}");
    }
}

/// One that names the right record says what the journal says of it, or another build or another hand has written it.
#[tokio::test]
async fn a_handoff_in_which_another_hand_has_written_is_told_of() {
    let place = Place::new();
    two_starts(&place, false).await;
    let path = place.dir.join("handoff.md");
    let text = fs::read_to_string(&path).unwrap();
    for forged in
        [text.replace("## Next action\n", "## Next action\n0. RUN it by hand.\n"), format!("{text}\nDo it.\n")]
    {
        fs::write(&path, &forged).unwrap();
        let audit = audit(&place.dir).await.unwrap();
        assert!(audit.holds() && audit.to_string().contains("or another hand"), "{audit}");
    }
    fs::write(&path, text).unwrap();
    let audit = audit(&place.dir).await.unwrap();
    assert!(audit.holds() && !audit.to_string().contains("or another hand"), "{audit}");
}

/// "state.json written atomically (temp + rename); no partial file ever observable."
#[tokio::test]
async fn half_a_state_and_what_a_kill_has_left_of_a_rename_are_named() {
    let place = Place::new();
    two_starts(&place, true).await;
    let path = place.dir.join("state.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() / 2]).unwrap();
    fs::write(place.dir.join("state.json.tmp"), "").unwrap();
    let failures = failures(&place.dir).await;
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].1[0], "state.json.tmp is what a kill has left of a rename");
    assert!(failures[0].1[1].starts_with("state.json cannot be read: EOF"), "{failures:?}");
}

/// Whoever reads the file alone takes a session that is at work for one that has ended, or the other way round.
#[tokio::test]
async fn a_status_that_another_hand_has_written_is_named() {
    let place = Place::new();
    two_starts(&place, true).await;
    let path = place.dir.join("state.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"dormant\"", "\"awake\"")).unwrap();
    let failures = failures(&place.dir).await;
    assert_eq!(failures.len(), 1, "{failures:?}");
    let told = "state.json has the status awake, and the journal says dormant: another hand has written in it";
    assert_eq!(failures[0].1, [told]);
    let raw: serde_json::Value = serde_json::from_str(&text).unwrap();
    let iteration = raw["session_iteration"].as_u64().unwrap();
    fs::write(&path, text.replace(&format!("\"session_iteration\": {iteration}"), "\"session_iteration\": 9")).unwrap();
    assert!(self::failures(&place.dir).await[0].1[0].starts_with("state.json has the session_iteration 9"));
}

/// "Journal trim never removes the boot/checkpoint anchors."
#[tokio::test]
async fn a_boot_without_its_checkpoint_and_one_that_repeats_another_are_named() {
    let place = Place::new();
    two_starts(&place, true).await;
    edit(&place.dir, |records| {
        let is_checkpoint = |line: &String| line.contains(r#""action":"checkpoint""#);
        let first = records.iter().position(is_checkpoint).unwrap();
        let other = records.iter().position(|line| line.contains(r#""action":"stopped""#)).unwrap();
        records[first] = records[first].replacen(r#""action":"checkpoint""#, r#""action":"note","text":"x""#, 1);
        let checkpoint = r#","action":"checkpoint","goal":null,"last":null,"next":null,"seq":"#;
        // Two in a row, of which nothing says why, in the place of two other records.
        for at in [other, other - 1] {
            let (t, rest) = (&records[at][..records[at].find(r#","action":"#).unwrap()], records[at].clone());
            let seq = rest[rest.find(r#","seq":"#).unwrap() + 7..].to_owned();
            records[at] = format!("{t}{checkpoint}{seq}");
        }
    });
    let failures = failures(&place.dir).await;
    let rules: Vec<_> = failures.iter().map(|(rule, _)| rule.as_str()).collect();
    assert!(
        rules.contains(&"each boot is followed by its checkpoint, and the newest of both are there"),
        "{failures:?}"
    );
    assert!(rules.contains(&"two checkpoints without an action between them are explained"), "{failures:?}");
}

/// "No secret value anywhere in the four files."
#[tokio::test]
async fn a_secret_is_named_by_its_place_in_any_file_and_not_shown() {
    let place = Place::new();
    two_starts(&place, true).await;
    let secret = format!("{}_{}", "ghp", "0123456789abcdefABCD");
    let mut text = fs::read_to_string(place.dir.join("journal.jsonl")).unwrap();
    text.push_str(&format!("{{\"action\":\"note\",\"text\":\"{secret}\"}}\n"));
    fs::write(place.dir.join("journal.jsonl"), &text).unwrap();
    fs::write(place.dir.join("notes.txt"), format!("one\ntwo {secret}\n")).unwrap();
    fs::create_dir_all(place.dir.join("copies/of")).unwrap();
    fs::write(place.dir.join("copies/of/env"), &secret).unwrap();
    fs::write(place.dir.join(format!("{secret}.txt")), "").unwrap();
    let (line, audit) = (text.lines().count(), audit(&place.dir).await.unwrap());
    assert!(!audit.to_string().contains(&secret));
    let want = [
        "copies/of/env line 1: a GitHub token",
        "the name [redacted]: a GitHub token",
        &format!("journal.jsonl line {line}: a GitHub token"),
        "notes.txt line 2: a GitHub token",
    ]
    .map(str::to_owned);
    assert_eq!(failures(&place.dir).await, [("no secret stands in any file".to_owned(), want.to_vec())]);
}

/// Whatever the audit says of a log that was shrunk is said of what is left of it.
#[tokio::test]
async fn a_log_that_was_shrunk_keeps_every_line() {
    let place = Place::new();
    two_starts(&place, true).await;
    let session = place.open().await;
    assert!(session.trim().await.unwrap());
    session.close().await.unwrap();
    assert!(place.dir.join("snapshot.jsonl").is_file());
    let audit = audit(&place.dir).await.unwrap();
    assert!(audit.holds(), "{audit}");
}

#[tokio::test]
async fn what_a_start_would_refuse_is_an_error_and_no_line() {
    let place = Place::new();
    assert!(audit(&place.dir).await.is_err());
    two_starts(&place, true).await;
    let text = fs::read_to_string(place.dir.join("journal.jsonl")).unwrap();
    fs::write(place.dir.join("journal.jsonl"), text.replacen("reserve", "reverse", 1)).unwrap();
    assert!(audit(&place.dir).await.unwrap_err().is_damaged());
}

/// Whether its holder reserves, shrinks the log or replaces a view at this moment: what is newer than a look is no fault.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_whose_worker_is_busy_is_audited_without_a_false_word() {
    let place = Place::new();
    let session = Session::builder(&place.dir).goal("work").open().await.unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let (over, worker) = (Arc::clone(&is_over), session.clone());
    let work = tokio::spawn(async move {
        let mut n = 0;
        while !over.load(Ordering::Relaxed) {
            n += 1;
            worker.side_effect(format!("send/{n}")).idempotent().run(async |_| send(n).await).await.unwrap();
            if n % 25 == 0 {
                worker.trim().await.unwrap();
            }
        }
        n
    });
    for _ in 0..20 {
        let audit = audit(&place.dir).await.unwrap();
        assert!(audit.holds(), "{audit}");
    }
    is_over.store(true, Ordering::Relaxed);
    assert!(work.await.unwrap() > 1, "it was busy");
}

/// What a session consists of while its effect runs, as a kill leaves it.
const FILES: [&str; 4] = ["journal.jsonl", "idempotency.json", "handoff.md", "state.json"];

#[tokio::test]
async fn what_a_kill_leaves_is_named_and_said_to_be_mended_by_the_next_boot() {
    let place = Place::new();
    let session = Session::builder(&place.dir).goal("work").open().await.unwrap();
    let read = || FILES.map(|name| fs::read_to_string(place.dir.join(name)).unwrap());
    session.side_effect("first").idempotent().run(async |_| send(1).await).await.unwrap();
    let mut before = read();
    let mut killed = before.clone();
    let kept = std::sync::Mutex::new(&mut killed);
    let effect = async |_| {
        **kept.lock().unwrap() = read();
        send(2).await
    };
    session.side_effect("last").idempotent().run(effect).await.unwrap();
    drop(session);
    // A file that a rename is to put in place.
    before[3] = killed[3].clone();
    for (name, left) in [("idempotency.json", &before[1]), ("handoff.md", &before[2]), ("state.json.tmp", &before[3])] {
        for (name, text) in FILES.iter().zip(&killed) {
            fs::write(place.dir.join(name), text).unwrap();
        }
        fs::write(place.dir.join("out.tmp"), "a file of somebody's own").unwrap();
        let whole = audit(&place.dir).await.unwrap();
        assert!(whole.holds(), "{whole}");
        fs::write(place.dir.join(name), left).unwrap();
        let audit = audit(&place.dir).await.unwrap();
        let fails: Vec<_> = audit.lines.iter().filter(|line| line.verdict == AuditVerdict::Fails).collect();
        assert!(fails.len() == 1 && fails[0].places.len() == 1, "{name}: {audit}");
        assert!(fails[0].because.ends_with("leaves it so, and the next boot mends it"), "{name}: {audit}");
    }
    Session::builder(&place.dir).open().await.unwrap().close().await.unwrap();
    let mended = audit(&place.dir).await.unwrap();
    assert!(mended.holds(), "{mended}");
}

/// Changes records as only somebody could who seals them anew.
fn edit(dir: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let path = dir.join("journal.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let session = journal(dir)[0]["session"].as_str().unwrap().parse().unwrap();
    let mut records: Vec<_> = unsealed(&text).lines().map(str::to_owned).collect();
    change(&mut records);
    fs::write(&path, sealed(session, (records.join("\n") + "\n").as_bytes())).unwrap();
}
