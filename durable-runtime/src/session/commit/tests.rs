use super::*;
use crate::core::record::{Dormant, Note};
use crate::session::tests::open;
use crate::store::memory::MemoryStore;

/// A view that is due comes between a record that is made and whoever has it written: a kill there leaves the view.
#[tokio::test]
async fn no_view_speaks_of_a_record_that_the_log_does_not_have() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    for shows in [false, true] {
        let seq = session.shared.push(Note { text: "done".to_owned() });
        match shows {
            false => refresh(&Arc::downgrade(&session.shared)).await,
            true => session.commit(Commit::Anchored).await.unwrap(),
        }
        assert_eq!(store.state().unwrap().durable.seq, seq);
        assert!(store.handoff().unwrap().contains(&format!("As of record {seq} ")));
        assert_eq!(store.records().last().unwrap().seq, seq);
    }
}

/// What is made while an append is on its way is not in the views that follow it.
#[tokio::test]
async fn the_views_of_an_append_end_where_its_records_do() {
    let session = open(&MemoryStore::new()).await;
    let last = session.shared.push(Note { text: "first".to_owned() });
    let mut turn = session.shared.turn.lock().await;
    let (records, views) = session.shared.take(&mut turn, Sync::Later, Some(Publish::InPlace));
    session.shared.push(Note { text: "second".to_owned() });
    assert_eq!(records.last().map(|record| record.seq), Some(last));
    assert_eq!(views.state.map(|view| view.durable.seq), Some(last));
    assert!(views.letter.unwrap().0.contains(&format!("As of record {last} ")));
}

/// The refresh of a step that ended a little earlier may take the last word before whoever says it comes to his turn.
#[tokio::test]
async fn a_last_word_that_a_refresh_has_written_needs_no_sync() {
    let session = open(&MemoryStore::new()).await;
    session.shared.push(Note { text: "the end of the run".to_owned() });
    session.commit(Commit::Told).await.unwrap();
    let synced = session.shared.turn.lock().await.synced;
    session.shared.push(Dormant {});
    refresh(&Arc::downgrade(&session.shared)).await;
    session.commit(Commit::Closed).await.unwrap();
    let turn = session.shared.turn.lock().await;
    assert_eq!(
        (turn.synced, turn.written),
        (synced, synced + 2),
        "the mark and the last word are written, and not synced"
    );
}

/// A step that loses a race while it lets others come first has recorded something, and must not leave it to chance.
#[tokio::test]
async fn a_commit_that_is_dropped_before_it_begins_is_made_all_the_same() {
    let store = MemoryStore::new();
    let session = open(&store).await;
    let seq = session.shared.push(Note { text: "reserved".to_owned() });
    let mut commit = Box::pin(session.commit(Commit::Durable));
    assert!(poll_fn(|context| Poll::Ready(commit.as_mut().poll(context))).await.is_pending());
    drop(commit);
    while session.shared.is_writing() {
        tokio::task::yield_now().await;
    }
    assert_eq!(store.records().last().map(|record| record.seq), Some(seq));
    assert_eq!(session.shared.turn.lock().await.synced, seq);
}

/// Whoever waits for a disk on a thread that others need holds them up.
#[test]
fn only_the_main_future_of_an_executor_with_threads_waits_where_it_stands() {
    let asked = async |session: &Session, others| {
        session.shared.has_the_thread(session.shared.writing.load(Ordering::Acquire) + others)
    };
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    threads.block_on(async {
        let session = open(&MemoryStore::new()).await;
        assert!(asked(&session, 0).await);
        assert!(!asked(&session, 1).await, "another session has something on its way");
        let session = session.clone();
        assert!(!tokio::spawn(async move { asked(&session, 0).await }).await.unwrap(), "a worker has other tasks");
    });
    let one = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert!(!one.block_on(async { asked(&open(&MemoryStore::new()).await, 0).await }), "all tasks run on it");
}
