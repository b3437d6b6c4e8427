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
