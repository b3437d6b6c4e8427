use super::*;
use crate::core::record::Note;
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
