//! What whoever posts a word is told at once: that another has said something else, that nobody can take it, or that nobody
//! waits for it.

use std::fs;
use std::path::{Path, PathBuf};

use durable_runtime::prelude::*;
use durable_runtime::{Error, Waits, Word, adopt, post};
use tempfile::TempDir;

#[durable_workflow(goal = "send")]
async fn send(session: &Session) -> anyhow::Result<String> {
    #[decision(key = "send", ask = "finance")]
    let send: Approval = session.decide().await?;
    Ok(send.to_string())
}

#[durable_workflow(goal = "wire")]
async fn wire(session: &Session) -> anyhow::Result<u32> {
    #[side_effect(key = "wire", in_doubt = "treasury")]
    let wired: u32 = Err(anyhow::anyhow!("no answer"))?;
    Ok(wired)
}

async fn start(dir: &Path) -> Session {
    Session::builder(dir).waits(Waits::Exit).open().await.unwrap()
}

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    (directory, dir)
}

/// A session in which finance is asked, and no worker runs.
async fn asked() -> (TempDir, PathBuf) {
    let (directory, dir) = place();
    let session = start(&dir).await;
    send(&session).await.unwrap_err();
    session.close().await.unwrap();
    (directory, dir)
}

fn approves(by: &str) -> Word {
    Word::answer("send//send").approve().by(by, "fine")
}

fn declines(by: &str) -> Word {
    Word::answer("send//send").decline().by(by, "too much")
}

fn inbox(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir.join("inbox")).into_iter().flatten();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The error of a word that leaves nothing behind.
async fn refused(dir: &Path, word: Word) -> Error {
    let before = inbox(dir);
    let error = post(dir, word).await.unwrap_err();
    assert_eq!(inbox(dir), before, "{error}");
    error
}

#[tokio::test]
async fn who_contradicts_an_answer_that_nobody_has_taken_is_told_who_gave_it_and_where_it_lies() {
    let (_directory, dir) = asked().await;
    post(&dir, approves("Ada")).await.unwrap();
    let error = refused(&dir, declines("Bob")).await;
    assert!(error.is_answered_otherwise() && error.key() == Some("send//send"), "{error}");
    let (text, file) = (error.to_string(), format!("in `inbox/{}`", inbox(&dir)[0]));
    for said in ["`send//send`", "Ada has said something else before", &file, "start the worker"] {
        assert!(text.contains(said), "{text}");
    }
    post(&dir, approves("Ada")).await.unwrap();
    post(&dir, approves("Eve")).await.unwrap();
    assert_eq!(send(&start(&dir).await).await.unwrap(), "approved by Ada: fine");
}

#[tokio::test]
async fn who_contradicts_a_word_that_its_step_has_not_read_yet_is_told_too() {
    let (_directory, dir) = place();
    let session = start(&dir).await;
    wire(&session).await.unwrap_err();
    session.resolve("wire//wire").happened(&7).by("Ada", "bank statement").await.unwrap();
    let denies = || Word::resolve("wire//wire").did_not_happen().by("Bob", "not in the list");
    let error = refused(&dir, denies()).await;
    assert!(error.is_answered_otherwise() && error.to_string().contains("Ada"), "{error}");
    assert!(error.to_string().contains("in `journal.jsonl`"), "{error}");
    post(&dir, Word::resolve("wire//wire").happened(&7).by("Eve", "seen too")).await.unwrap();
    drop(session);
    assert_eq!(wire(&start(&dir).await).await.unwrap(), 7);
}

/// The way out that the refusal names.
#[tokio::test]
async fn once_the_step_has_found_that_an_answer_is_none_another_counts() {
    let (_directory, dir) = asked().await;
    let error = refused(&dir, Word::answer("send//send").value("yes").by("Ada", "fine")).await;
    assert!(error.is_nothing_asked() && error.to_string().contains("`Approval` is asked for"), "{error}");
    let id = uuid::Uuid::from_u128(1);
    let by_hand = serde_json::json!({"word": "answer", "id": id, "key": "send//send", "value": "yes", "by": "Ada", "because": "fine"});
    fs::create_dir_all(dir.join("inbox")).unwrap();
    fs::write(dir.join("inbox").join(format!("{id}.json")), by_hand.to_string()).unwrap();
    assert!(refused(&dir, declines("Bob")).await.is_answered_otherwise());
    send(&start(&dir).await).await.unwrap_err();
    post(&dir, declines("Bob")).await.unwrap();
    assert_eq!(send(&start(&dir).await).await.unwrap(), "declined by Bob: too much");
}

#[tokio::test]
async fn no_answer_is_taken_for_a_decision_whose_run_was_given_up() {
    let (_directory, dir) = asked().await;
    start(&dir).await.cancel("send").by("Ada", "not wanted").await.unwrap();
    let error = refused(&dir, approves("Bob")).await;
    assert!(error.is_nothing_asked(), "{error}");
    assert!(error.to_string().contains("run `send` was cancelled by Ada (not wanted)"), "{error}");
}

#[tokio::test]
async fn no_word_is_left_where_no_start_would_open_the_session() {
    let (directory, dir) = asked().await;
    let copy = directory.path().join("copy");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(&dir).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
    let error = refused(&copy, approves("Ada")).await;
    assert!(error.is_moved() && error.to_string().contains("durable_runtime::adopt(dir"), "{error}");
    let journal = fs::read_to_string(dir.join("journal.jsonl")).unwrap();
    fs::write(dir.join("journal.jsonl"), journal.replacen("\"action\":\"run\"", "\"action\":\"fun\"", 1)).unwrap();
    let error = refused(&dir, approves("Ada")).await;
    assert!(error.is_damaged() && error.to_string().contains("journal.jsonl line"), "{error}");
    assert!(error.to_string().contains("nobody would take the word"), "{error}");
    fs::write(dir.join("journal.jsonl"), journal).unwrap();
    let state = fs::read_to_string(dir.join("state.json")).unwrap();
    fs::write(dir.join("state.json"), state.replacen("\"format\": 1", "\"format\": 2", 1)).unwrap();
    let error = refused(&dir, approves("Ada")).await;
    assert!(error.is_damaged() && error.to_string().contains("state.json: it has format 2"), "{error}");
    fs::write(dir.join("state.json"), state).unwrap();
    post(&dir, approves("Ada")).await.unwrap();
    // Somebody vouches for the copy: from then on it is a session that takes words.
    adopt(&copy, "ada", "the other disk is gone").await.unwrap();
    post(&copy, approves("Ada")).await.unwrap();
}

#[tokio::test]
async fn who_names_a_directory_without_a_session_is_told_which_one_to_give() {
    let (directory, dir) = asked().await;
    let error = refused(directory.path(), approves("Ada")).await.to_string();
    let place = directory.path().display().to_string();
    assert!(
        error.contains(&place) && error.contains("there is no session there, for it has no session.lock"),
        "{error}"
    );
    assert!(error.contains("give the directory that the worker opens"), "{error}");
    fs::remove_file(dir.join("session.lock")).unwrap();
    let error = refused(&dir, approves("Ada")).await.to_string();
    assert!(error.contains("session.lock is missing there, which the next start writes again"), "{error}");
    drop(start(&dir).await);
    post(&dir, approves("Ada")).await.unwrap();
}
