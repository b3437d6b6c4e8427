//! Runs that another process gives up: at once where nobody holds the session, soon where somebody does, and never twice.

use std::fs;
use std::path::Path;
use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::{Outcome, Word, post};

use super::world::HandClock;

/// What is done while the first effect runs.
struct Meanwhile<'a> {
    dir: &'a Path,
    clock: &'a HandClock,
    passes: Duration,
}

impl Meanwhile<'_> {
    async fn work(&self) -> anyhow::Result<()> {
        post(self.dir, unwanted()).await?;
        self.clock.forward(self.passes);
        Ok(())
    }
}

fn unwanted() -> Word {
    Word::cancel("send").by("Ada", "the shop is closed")
}

#[durable_workflow(goal = "send two")]
async fn send(session: &Session, #[resource] meanwhile: Option<&Meanwhile<'_>>) -> anyhow::Result<u32> {
    #[side_effect(key = "one", in_doubt = "ada")]
    let () = match meanwhile {
        Some(meanwhile) => meanwhile.work().await,
        None => Err(anyhow::anyhow!("no paper")),
    }?;
    #[side_effect(key = "two", in_doubt = "ada")]
    let two = anyhow::Result::<u32>::Ok(2)?;
    Ok(two)
}

fn journal(dir: &Path) -> String {
    fs::read_to_string(dir.join("journal.jsonl")).unwrap()
}

async fn start(dir: &Path, clock: &HandClock) -> Session {
    Session::builder(dir).clock(clock.clone()).open().await.unwrap()
}

#[tokio::test]
async fn a_worker_that_never_waits_begins_nothing_more_once_a_second_has_passed() {
    for (passes, begins) in [(Duration::ZERO, true), (Duration::from_secs(1), false)] {
        let directory = tempfile::tempdir().unwrap();
        let (dir, clock) = (directory.path().join("session"), HandClock::new());
        let session = start(&dir, &clock).await;
        let meanwhile = Meanwhile { dir: &dir, clock: &clock, passes };
        let sent = send(&session, Some(&meanwhile)).await;
        session.close().await.unwrap();
        assert_eq!(journal(&dir).contains(r#""key":"send//two""#), begins, "{passes:?}: {sent:?}");
        if !begins {
            let error = sent.unwrap_err().to_string();
            assert!(error.contains("Ada") && error.contains("the shop is closed"), "{error}");
            assert!(fs::read_dir(dir.join("inbox")).unwrap().next().is_none());
        }
    }
}

#[tokio::test]
async fn a_run_that_is_given_up_while_nobody_holds_the_session_begins_nothing_in_the_next_start() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    let session = Session::open(&dir).await.unwrap();
    send(&session, None).await.unwrap_err();
    session.resolve("send//one").happened(&()).by("Ada", "it lies there").await.unwrap();
    session.close().await.unwrap();
    post(&dir, unwanted()).await.unwrap();
    let outcome = durable_runtime::run(&dir, async |session| send(session, None).await).await;
    assert_eq!(outcome, Outcome::Cancelled);
    let journal = journal(&dir);
    assert!(!journal.contains(r#""key":"send//two""#), "{journal}");
    assert!(journal.contains(r#""action":"cancel","run":"send","by":"Ada","because":"the shop is closed","word":""#));
}

#[tokio::test]
async fn what_cannot_be_given_up_is_refused_where_it_is_posted() {
    let directory = tempfile::tempdir().unwrap();
    let (dir, clock) = (directory.path().join("session"), HandClock::new());
    let session = start(&dir, &clock).await;
    send(&session, None).await.unwrap_err();
    session.close().await.unwrap();
    let refused = async |word: Word| {
        let error = post(&dir, word).await.unwrap_err();
        assert!(error.is_nothing_asked(), "{error}");
        error.to_string()
    };
    assert!(refused(Word::cancel("sent").by("Ada", "no")).await.contains("there is no such run"));
    assert!(refused(Word::cancel("send").by("Ada", " ")).await.contains("it needs a name and a reason"));
    post(&dir, unwanted()).await.unwrap();
    start(&dir, &clock).await.close().await.unwrap();
    assert!(refused(unwanted()).await.contains("Ada has cancelled it"));
}

/// Two who say the same at once: the first counts, and the other is no fault.
#[tokio::test]
async fn a_run_that_two_people_give_up_is_given_up_by_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let (dir, clock) = (directory.path().join("session"), HandClock::new());
    let session = start(&dir, &clock).await;
    send(&session, None).await.unwrap_err();
    session.close().await.unwrap();
    post(&dir, unwanted()).await.unwrap();
    post(&dir, Word::cancel("send").by("Grace", "so do I")).await.unwrap();
    let handoff = start(&dir, &clock).await.handoff().to_string();
    assert!(handoff.contains("Ada"), "{handoff}");
    let journal = journal(&dir);
    let count = |what: &str| journal.matches(what).count();
    assert_eq!((count(r#""action":"cancel""#), count(r#""action":"word_refused""#)), (1, 1), "{journal}");
}
