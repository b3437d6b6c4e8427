use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::core::life::Stands;
use crate::session::Session;

async fn session(dir: &Path) -> Session {
    Session::builder(dir).goal("look").open().await.unwrap()
}

async fn read(session: &Session, key: &str) {
    session.read(key).run(async || Ok::<_, anyhow::Error>(7)).await.unwrap();
}

#[tokio::test]
async fn what_comes_while_somebody_looks_on_is_told_once_and_known() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("session");
    let worker = session(&dir).await;
    let mut seen = inspect(&dir).look().await.unwrap();
    let from = seen.state().seq;
    read(&worker, "one").await;
    worker.checkpoint("told").await.unwrap();
    let told = seen.read_on().await.unwrap();
    assert!(told.iter().any(|record| record.event.key() == Some("one")));
    assert_eq!(
        told.iter().map(|record| record.seq).collect::<Vec<_>>(),
        (from + 1..=seen.state().seq).collect::<Vec<_>>()
    );
    assert!(seen.read_on().await.unwrap().is_empty());
    assert!(seen.state().steps.contains_key("one"));
    let Holder::Process(pid) = seen.holder() else { return eprintln!("not measured here: no list of locks") };
    assert_eq!((pid, seen.standing()), (std::process::id(), Standing::Running));
}

#[tokio::test]
async fn a_log_that_is_shrunk_under_whoever_looks_on_is_read_anew_and_tells_only_what_is_new() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("session");
    let worker = session(&dir).await;
    read(&worker, "one").await;
    worker.checkpoint("told").await.unwrap();
    let mut seen = inspect(&dir).look().await.unwrap();
    let from = seen.state().seq;
    assert!(worker.trim().await.unwrap());
    read(&worker, "two").await;
    worker.close().await.unwrap();
    let told = seen.read_on().await.unwrap();
    assert!(told.iter().all(|record| record.seq > from), "{told:?}");
    assert!(told.iter().any(|record| record.event.key() == Some("two")));
    assert!(seen.state().steps.contains_key("one"));
    assert_eq!(seen.state().seq, inspect(&dir).look().await.unwrap().state().seq);
}

#[tokio::test]
async fn the_journal_is_given_until_there_is_enough() {
    let dir = tempfile::tempdir().unwrap();
    let worker = session(dir.path()).await;
    read(&worker, "one").await;
    worker.close().await.unwrap();
    let seen = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&seen);
    let enough = move |record: &Record| {
        count.fetch_add(record.seq, Ordering::Relaxed);
        if record.seq == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    inspect(dir.path()).journal(enough).await.unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 1 + 2);
}

#[tokio::test]
async fn keys_stand_in_the_order_in_which_they_were_opened() {
    let dir = tempfile::tempdir().unwrap();
    let worker = session(dir.path()).await;
    for key in ["b", "c", "a"] {
        read(&worker, key).await;
    }
    let failing = worker.side_effect("d").in_doubt("ada").run(async |_| Err::<(), _>(anyhow::anyhow!("no answer")));
    failing.await.unwrap_err();
    worker.close().await.unwrap();
    let keys = inspect(dir.path()).keys().await.unwrap();
    assert_eq!(keys.iter().map(|life| &*life.key).collect::<Vec<_>>(), ["b", "c", "a", "d"]);
    assert_eq!(keys[3].stands, Stands::Asks { who: "ada".to_owned(), why: "no answer".to_owned() });
    assert!(keys[0].stands.is_settled() && !keys[0].is_closed);
}

#[tokio::test]
async fn sessions_are_found_under_their_root() {
    let root = tempfile::tempdir().unwrap();
    for name in ["b", "a"] {
        session(&root.path().join(name)).await;
    }
    assert_eq!(sessions(root.path()).unwrap(), ["a", "b"].map(|name| root.path().join(name)));
    assert!(inspect(root.path().join("a")).exists() && !inspect(root.path()).exists());
    let error = sessions(root.path().join("c")).unwrap_err().to_string();
    assert!(error.contains("cannot be listed"), "{error}");
    let error = inspect(root.path().join("c")).look().await.unwrap_err().to_string();
    assert!(error.contains("there is no session there"), "{error}");
}
