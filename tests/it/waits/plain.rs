//! Waits without attributes.

use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use futures_util::future::{self, FusedFuture, FutureExt};

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

/// Most of what awaits several takes futures, and not what only becomes one.
#[tokio::test]
async fn a_wait_with_a_key_is_a_future_for_whatever_awaits_several() {
    #[durable_workflow(goal = "wait for several")]
    async fn several(session: &Session) -> anyhow::Result<(bool, bool)> {
        let nap = |key: &str| session.sleep(Duration::ZERO).key(key);
        durable_runtime::try_join!(nap("a"), nap("b"))?;
        let made = session.decide::<bool>().key("c").expires(Duration::ZERO).on_expiry(true);
        let (made, slept) = future::join(made, nap("d")).await;
        slept?;
        let mut fused = nap("e").fuse();
        (&mut fused).await?;
        tokio::select! {
            biased;
            slept = nap("f") => slept?,
            never = future::pending() => never,
        }
        Ok((made?, fused.is_terminated()))
    }
    let (store, clock) = (MemoryStore::new(), HandClock::new());
    assert_eq!(several(&exiting(&store, &clock).await).await.unwrap(), (true, true));
    assert_eq!((count(&store, "wait"), count(&store, "woke")), (5, 5));
}

/// What a wait gave reads as the value of a step that gives nothing: it would be passed over.
#[tokio::test]
async fn a_step_under_the_key_of_a_wait_is_refused_whether_or_not_the_wait_is_over() {
    #[durable_workflow(goal = "change")]
    async fn change(session: &Session, #[resource] how: u32) -> anyhow::Result<()> {
        match how {
            0 => session.sleep(Duration::ZERO).key("over").await?,
            1 => session.decide().key("over").expires(Duration::ZERO).on_expiry(()).await?,
            2 => session.sleep(HOUR).key("over").await?,
            3 => session.side_effect("over").in_doubt("ada").run(|_| async { anyhow::Ok(()) }).await?,
            _ => session.read("over").run(|| async { anyhow::Ok(()) }).await?,
        }
        anyhow::bail!("the end")
    }
    for (wait, name) in [(0, "a sleep"), (1, "a decision"), (2, "a sleep")] {
        for step in [3, 4] {
            let (store, clock) = (MemoryStore::new(), HandClock::new());
            change(&exiting(&store, &clock).await, wait).await.unwrap_err();
            let error = change(&exiting(&store, &clock).await, step).await.unwrap_err().to_string();
            assert!(error.contains(&format!("recorded as that of {name}")), "{wait} {step}: {error}");
        }
    }
}
