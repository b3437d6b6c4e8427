//! Steps that run beside one that stops their run: what has begun comes to its end, and nothing new begins.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use durable_runtime::clock::Clock;
use durable_runtime::core::record::Event;
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;
use durable_runtime::{Session, Waits};

use super::world::{World, open_at};

/// What the verifier of the payment says, one after the other, and how often it was asked.
struct Bank {
    world: World,
    says: fn(u32) -> Verdict<u32>,
    asked: AtomicU32,
}

impl Bank {
    fn that(says: fn(u32) -> Verdict<u32>) -> Self {
        Self { world: World::default(), says, asked: AtomicU32::new(0) }
    }

    fn look(&self) -> Verdict<u32> {
        (self.says)(self.asked.fetch_add(1, Ordering::Relaxed))
    }

    fn asked(&self) -> u32 {
        self.asked.load(Ordering::Relaxed)
    }
}

/// A payment whose answer is lost, beside a rate that cannot be read in the first start.
#[durable_workflow(goal = "pay")]
async fn pay(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<u32> {
    let rate = async {
        bank.world.until("pay").await;
        #[read(key = "rate")]
        let rate = bank.world.last().map(|()| 1)?;
        anyhow::Ok(rate)
    };
    let paid = async {
        #[side_effect(key = "pay", verify = bank.look(), settle = "20s", retry(attempts = 2, backoff = "1h"))]
        let paid = if bank.asked() == 0 { bank.world.act_unheard("pay") } else { bank.world.act("pay again") }?;
        anyhow::Ok(paid)
    };
    let (rate, paid) = tokio::join!(rate, paid);
    Ok(rate? + paid?)
}

fn actions(store: &MemoryStore, key: &str) -> Vec<&'static str> {
    let of_key = |event: &Event| match event {
        Event::Reserve(reserve) => &*reserve.key == key,
        Event::Done(done) => &*done.key == key,
        Event::Failed(failed) => failed.key == key,
        Event::Absent(absent) => absent.key == key,
        Event::NotYet(not_yet) => not_yet.key == key,
        _ => false,
    };
    let records = store.records();
    records.iter().map(|record| &record.event).filter(|event| of_key(event)).map(Event::action).collect()
}

const BEGUN: [&str; 3] = ["reserve", "failed", "not_yet"];

#[tokio::test]
async fn a_request_that_lands_late_is_found_in_the_start_that_another_step_has_stopped() {
    let bank = Bank::that(|asked| if asked == 0 { Verdict::DidNotHappen } else { Verdict::Happened(7) });
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let error = pay(&open_at(&store, &clock).await, &bank).await.unwrap_err().to_string();
    assert!(error.contains("closed"), "{error}");
    assert_eq!(actions(&store, "pay//pay"), [&BEGUN[..], &["done"]].concat());
    assert_eq!(pay(&open_at(&store, &clock).await, &bank).await.unwrap(), 8);
    assert_eq!((bank.asked(), bank.world.acts()), (2, vec!["pay".to_owned()]));
}

#[tokio::test]
async fn what_is_proven_absent_in_a_stopped_run_is_tried_again_by_the_next_start_only() {
    let bank = Bank::that(|_| Verdict::DidNotHappen);
    let (store, clock) = (MemoryStore::new(), ManualClock::default());
    let before = clock.now();
    pay(&open_at(&store, &clock).await, &bank).await.unwrap_err();
    assert_eq!(actions(&store, "pay//pay"), [&BEGUN[..], &["absent"]].concat());
    assert!(clock.now().since(before) < Duration::from_secs(60), "it waited for an attempt that it may not make");
    assert_eq!(pay(&open_at(&store, &clock).await, &bank).await.unwrap(), 3);
    assert_eq!(bank.world.acts(), ["pay", "pay again"]);
}

#[tokio::test]
async fn a_stopped_run_waits_neither_for_a_verifier_that_asks_for_an_hour_nor_where_the_process_is_to_end() {
    for waits in [Waits::Hold, Waits::Exit] {
        let bank = Bank::that(match waits {
            Waits::Hold => |_| Verdict::NotYet(Duration::from_secs(3600)),
            _ => |_| Verdict::DidNotHappen,
        });
        let (store, clock) = (MemoryStore::new(), ManualClock::default());
        let before = clock.now();
        let session = Session::builder("memory").store(store.clone()).clock(clock.clone()).waits(waits);
        pay(&session.open().await.unwrap(), &bank).await.unwrap_err();
        assert_eq!(actions(&store, "pay//pay"), BEGUN);
        assert!(clock.now().since(before) < Duration::from_secs(10), "{waits:?}: it waited");
        assert_eq!(bank.asked(), 1);
    }
}
