//! Words that other processes leave: none is lost, none counts twice, and nothing foreign is touched.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use durable_runtime::clock::{Clock, SystemClock};
use durable_runtime::prelude::*;
use durable_runtime::store::files::{Call, CountingDisk, FilesStore, Operation, RealDisk};
use durable_runtime::{Waits, Word, post};

use super::world::{HOUR, HandClock};

#[durable_workflow(goal = "send")]
async fn send(session: &Session) -> anyhow::Result<String> {
    #[decision(key = "send", ask = "finance")]
    let send: Approval = session.decide().await?;
    Ok(send.to_string())
}

async fn start(dir: &Path, waits: Waits) -> Session {
    Session::builder(dir).waits(waits).open().await.unwrap()
}

async fn asked(dir: &Path) {
    let session = start(dir, Waits::Exit).await;
    send(&session).await.unwrap_err();
    session.close().await.unwrap();
}

fn approval() -> Word {
    Word::answer("send//send").approve().by("Ada", "fine")
}

fn journal(dir: &Path) -> String {
    fs::read_to_string(dir.join("journal.jsonl")).unwrap()
}

fn inbox(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir.join("inbox")).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_word_that_was_left_while_nobody_held_the_session_is_taken_at_boot() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    asked(&dir).await;
    post(&dir, approval()).await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&dir.join("inbox")), mode(&dir.join("inbox").join(&inbox(&dir)[0]))), (0o700, 0o600));
    assert_eq!(send(&start(&dir, Waits::Exit).await).await.unwrap(), "approved by Ada: fine");
    assert!(inbox(&dir).is_empty());
}

#[tokio::test]
async fn a_word_is_taken_by_the_process_that_holds_the_session_and_waits() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    let session = start(&dir, Waits::Hold).await;
    let posts = async {
        while !journal(&dir).contains("\"action\":\"ask\"") {
            tokio::task::yield_now().await;
        }
        post(&dir, approval()).await
    };
    let (sent, posted) = tokio::join!(send(&session), posts);
    posted.unwrap();
    assert_eq!(sent.unwrap(), "approved by Ada: fine");
}

#[tokio::test]
async fn a_word_that_is_logged_and_found_again_counts_once() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    asked(&dir).await;
    post(&dir, approval()).await.unwrap();
    let name = inbox(&dir).remove(0);
    let kept = fs::read(dir.join("inbox").join(&name)).unwrap();
    start(&dir, Waits::Exit).await.close().await.unwrap();
    // A power cut brings back the name that was removed.
    fs::write(dir.join("inbox").join(&name), kept).unwrap();
    start(&dir, Waits::Exit).await.close().await.unwrap();
    assert!(inbox(&dir).is_empty());
    let journal = journal(&dir);
    assert_eq!((journal.matches("\"answer\"").count(), journal.matches("word_refused").count()), (1, 0));
}

#[tokio::test]
async fn a_word_is_removed_only_once_the_log_that_holds_it_is_synced() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    asked(&dir).await;
    post(&dir, approval()).await.unwrap();
    let (is_synced, removed) = (AtomicBool::new(false), Arc::new(AtomicU32::new(0)));
    let (log, removals) = (dir.join("journal.jsonl"), Arc::clone(&removed));
    let before = move |call: Call<'_>| {
        let is_logged = || fs::read_to_string(&log).unwrap().contains("\"action\":\"answer\"");
        if call.operation == Operation::Sync && call.file == "journal.jsonl" && is_logged() {
            is_synced.store(true, Ordering::Relaxed);
        }
        if call.operation == Operation::Remove && call.file.starts_with("inbox/") {
            assert!(is_synced.load(Ordering::Relaxed), "a power cut now loses the word");
            removals.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    let store = FilesStore::with_disk(Arc::new(CountingDisk::calling(RealDisk::new(&dir), before)));
    Session::builder(&dir).store(store).waits(Waits::Exit).open().await.unwrap();
    assert_eq!(removed.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_word_that_does_not_count_is_recorded_as_refused_and_removed() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    asked(&dir).await;
    // As a hand may write it: `post` refuses it.
    let id = "00000000-0000-4000-8000-000000000000";
    let word = format!(r#"{{"id":"{id}","word":"answer","key":"send//other","value":1,"by":"Ada","because":"fine"}}"#);
    fs::create_dir(dir.join("inbox")).unwrap();
    fs::write(dir.join("inbox").join(format!("{id}.json")), word).unwrap();
    let session = start(&dir, Waits::Exit).await;
    let handoff = session.handoff().to_string();
    assert!(handoff.contains("A word of `Ada` about `send//other` does not count"), "{handoff}");
    assert!(inbox(&dir).is_empty());
}

#[tokio::test]
async fn what_is_no_word_is_told_of_and_stays_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    asked(&dir).await;
    post(&dir, approval()).await.unwrap();
    let inside = dir.join("inbox");
    fs::write(inside.join("readme.txt"), "hello").unwrap();
    fs::write(inside.join("00000000-0000-4000-8000-000000000000.json"), "{\"half\":").unwrap();
    fs::write(directory.path().join("secret"), "{}").unwrap();
    symlink(directory.path().join("secret"), inside.join("00000000-0000-4000-8000-000000000001.json")).unwrap();
    let before = inbox(&dir);
    assert_eq!(send(&start(&dir, Waits::Exit).await).await.unwrap(), "approved by Ada: fine");
    let left = inbox(&dir);
    assert_eq!((before.len(), left.len()), (4, 3));
    let journal = journal(&dir);
    for name in &left {
        assert!(journal.contains(&format!("`{name}` in the inbox is no word of a person")), "{journal}");
    }
    assert!(journal.contains("is a symbolic link"), "{journal}");
}

/// A step could never read its value, and would take no other word after it.
#[tokio::test]
async fn a_word_whose_value_stands_for_a_file_that_nobody_has_written_is_none() {
    #[durable_workflow(goal = "wire")]
    async fn wire(session: &Session) -> anyhow::Result<u32> {
        #[side_effect(key = "wire", in_doubt = "treasury")]
        let wired = Err::<u32, _>(anyhow::anyhow!("connection reset"))?;
        Ok(wired)
    }
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    wire(&start(&dir, Waits::Exit).await).await.unwrap_err();
    fs::create_dir(dir.join("inbox")).unwrap();
    let id = uuid::Uuid::from_u128(1);
    let text = format!(
        r#"{{"id":"{id}","word":"resolve","key":"wire//wire","happened":true,"value":{{"$blob":{{"name":"{id}","len":300000}}}},"by":"Ada","because":"seen"}}"#
    );
    fs::write(dir.join("inbox").join(format!("{id}.json")), text).unwrap();
    let error = wire(&start(&dir, Waits::Exit).await).await.unwrap_err().to_string();
    assert!(error.contains("is in doubt"), "{error}");
    assert_eq!(inbox(&dir).len(), 1);
    assert!(journal(&dir).contains("is no word of a person"), "{}", journal(&dir));
    post(&dir, Word::resolve("wire//wire").happened(&7).by("Bob", "seen")).await.unwrap();
    assert_eq!(wire(&start(&dir, Waits::Exit).await).await.unwrap(), 7);
}

#[tokio::test]
async fn a_word_for_a_directory_without_a_session_is_refused_and_makes_none() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    let error = post(&dir, approval()).await.unwrap_err().to_string();
    assert!(error.contains("there is no session there"), "{error}");
    assert!(!dir.exists());
}

#[tokio::test]
async fn a_word_about_an_effect_is_left_in_the_same_way() {
    #[durable_workflow(goal = "wire")]
    async fn wire(session: &Session) -> anyhow::Result<u32> {
        #[side_effect(key = "wire", in_doubt = "treasury")]
        let wired: u32 = Err(anyhow::anyhow!("no answer"))?;
        Ok(wired)
    }
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    wire(&start(&dir, Waits::Exit).await).await.unwrap_err();
    post(&dir, Word::resolve("wire//wire").happened(&7).by("Ada", "bank statement")).await.unwrap();
    assert_eq!(wire(&start(&dir, Waits::Exit).await).await.unwrap(), 7);
}

#[tokio::test]
async fn of_two_answers_that_lie_there_the_first_counts() {
    // Their names are made up, so one order in two is right by chance.
    for _ in 0..10 {
        let directory = tempfile::tempdir().unwrap();
        let dir = directory.path().join("session");
        asked(&dir).await;
        post(&dir, approval()).await.unwrap();
        // Until the clock shows a later millisecond.
        let first = SystemClock.now();
        while SystemClock.now() == first {
            tokio::task::yield_now().await;
        }
        post(&dir, Word::answer("send//send").approve().by("Bob", "late")).await.unwrap();
        assert_eq!(send(&start(&dir, Waits::Exit).await).await.unwrap(), "approved by Ada: fine");
    }
}

#[tokio::test]
async fn an_answer_that_was_left_in_time_counts_though_it_is_read_late() {
    #[durable_workflow(goal = "send in time")]
    async fn in_time(session: &Session) -> anyhow::Result<String> {
        #[decision(key = "send", expires = "24h", on_expiry = "too late")]
        let send: Approval = session.decide().await?;
        Ok(send.to_string())
    }
    let (directory, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    clock.set(SystemClock.now());
    let dir = directory.path().join("session");
    let open = async || Session::builder(&dir).waits(Waits::Exit).clock(clock.clone()).open().await.unwrap();
    in_time(&open().await).await.unwrap_err();
    post(&dir, Word::answer("in_time//send").approve().by("Ada", "fine")).await.unwrap();
    clock.forward(48 * HOUR);
    assert_eq!(in_time(&open().await).await.unwrap(), "approved by Ada: fine");
}

#[tokio::test]
async fn a_word_about_an_older_attempt_does_not_settle_the_newest() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] acts: &AtomicU32) -> anyhow::Result<()> {
        #[side_effect(key = "pay", in_doubt = "bank")]
        async {
            acts.fetch_add(1, Ordering::Relaxed);
            Err::<(), _>(anyhow::anyhow!("no answer"))
        }
        .await?;
        Ok(())
    }
    let (directory, acts) = (tempfile::tempdir().unwrap(), AtomicU32::new(0));
    let dir = directory.path().join("session");
    pay(&start(&dir, Waits::Exit).await, &acts).await.unwrap_err();
    let word = |by| Word::resolve("pay//pay").of_attempt(1).did_not_happen().by(by, "not in the list of Monday");
    post(&dir, word("Ada")).await.unwrap();
    pay(&start(&dir, Waits::Exit).await, &acts).await.unwrap_err();
    let refused = post(&dir, word("Bob")).await.unwrap_err().to_string();
    assert!(refused.contains("it is about attempt 1, and the newest is attempt 2"), "{refused}");
    pay(&start(&dir, Waits::Exit).await, &acts).await.unwrap_err();
    assert_eq!(acts.load(Ordering::Relaxed), 2);
}
