//! Waits without attributes.

use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;

use super::world::{HOUR, HandClock, count, exiting};

#[tokio::test]
async fn plain_calls_wait_as_attributes_do_outside_a_workflow_and_in_one() {
    #[durable_workflow(goal = "wait in plain calls")]
    async fn plain(session: &Session) -> anyhow::Result<bool> {
        session.sleep(HOUR).key("night").title("sleep over it").await?;
        let send: Approval = session.decide().key("send").ask("finance").shows(&3).await?;
        Ok(send.is_approved())
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    plain(&exiting(&store, &clock).await).await.unwrap_err();
    clock.forward(HOUR);
    let session = exiting(&store, &clock).await;
    plain(&session).await.unwrap_err();
    session.answer("plain//send").approve().by("Ada", "fine").await.unwrap();
    drop(session);
    let session = exiting(&store, &clock).await;
    assert!(plain(&session).await.unwrap());
    session.sleep(Duration::ZERO).key("flat").await.unwrap();
    let again = session.sleep(Duration::ZERO).key("flat").await.unwrap_err().to_string();
    assert!(again.contains("reached twice") && again.contains("plain.rs"), "{again}");
    // Outside any workflow a wait that goes no further stops nothing else.
    assert!(session.sleep(HOUR).key("long").await.unwrap_err().is_waiting());
    session.sleep(Duration::ZERO).key("short").await.unwrap();
    assert_eq!((count(&store, "wait"), count(&store, "woke")), (4, 3));
}
