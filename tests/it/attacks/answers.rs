//! What a person or a verifier says of an effect: it counts, it is final, and no answer makes an effect run again that
//! has happened.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use durable_runtime::clock::Clock;
use durable_runtime::core::record::Event;
use durable_runtime::core::time::Timestamp;
use durable_runtime::prelude::*;
use durable_runtime::store::Pending;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;

use super::world::{Unstorable, World, hang_if, killed, open, open_at};

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn an_unstorable_result_is_never_run_again_whatever_is_answered() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", idempotent = "the bank knows the invoice")]
        let paid = anyhow::Ok(Unstorable(world.act("pay")?))?;
        Ok(paid.0)
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let stops = async || {
        let session = open(&store).await;
        let error = pay(&session, &world).await.unwrap_err().to_string();
        assert!(error.contains("it will not run again"), "{error}");
        session
    };
    stops().await.resolve("pay//pay").happened("no number").by("Ann", "a guess").await.unwrap();
    stops().await;
    stops().await.resolve("pay//pay").happened(&5).by("Ann", "the bank says so").await.unwrap();
    assert_eq!(pay(&open(&store).await, &world).await.unwrap(), 5);
    assert_eq!(world.acts(), ["pay"]);
}

#[tokio::test]
async fn a_given_answer_is_final_and_what_happened_cannot_be_denied() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", in_doubt = "treasury")]
        let paid = anyhow::Ok(Unstorable(world.act("pay")?))?;
        Ok(paid.0)
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let session = open(&store).await;
    pay(&session, &world).await.unwrap_err();
    let deny =
        async || session.resolve("pay//pay").did_not_happen().by("Ann", "a guess").await.unwrap_err().to_string();
    assert!(deny().await.contains("it is known that it happened"));
    session.resolve("pay//pay").happened(&5).by("Ann", "the bank says so").await.unwrap();
    assert!(deny().await.contains("it is known that it happened"));
    drop(session);
    assert_eq!(pay(&open(&store).await, &world).await.unwrap(), 5);
    assert_eq!(world.acts(), ["pay"]);
}

#[tokio::test]
async fn a_right_answer_to_an_unstorable_result_is_taken_though_its_verifier_finds_nothing() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = world.find("nothing").map(Unstorable), settle = "0s")]
        let paid = anyhow::Ok(Unstorable(world.act("pay")?))?;
        Ok(paid.0)
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let session = open(&store).await;
    assert!(pay(&session, &world).await.unwrap_err().to_string().contains("could not be stored"));
    session.resolve("pay//pay").happened(&5).by("Ann", "the bank says so").await.unwrap();
    drop(session);
    for _ in 0..2 {
        assert_eq!(pay(&open(&store).await, &world).await.unwrap(), 5);
    }
    assert_eq!(world.acts(), ["pay"]);
}

#[tokio::test(start_paused = true)]
async fn a_word_given_while_the_verifier_looks_counts() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = finds_nothing(session).await, settle = "0s")]
        let paid = {
            let paid = world.act("pay")?;
            hang_if(paid == 1).await;
            anyhow::Ok(paid)
        }?;
        Ok(paid)
    }
    /// Ann, who is asked since it could not tell, is faster than it is the next time.
    async fn finds_nothing(session: &Session) -> Verdict<u32> {
        match session.resolve("pay//pay").happened(&7).by("Ann", "I saw it").await {
            Ok(()) => Verdict::DidNotHappen,
            Err(_) => Verdict::Unknown("the ledger is down".into()),
        }
    }
    let (store, world) = (MemoryStore::new(), World::default());
    killed(pay(&open(&store).await, &world)).await;
    pay(&open(&store).await, &world).await.unwrap_err();
    assert_eq!(pay(&open(&store).await, &world).await.unwrap(), 7);
    assert_eq!(world.acts(), ["pay"]);
}

#[tokio::test(start_paused = true)]
async fn a_recorded_not_yet_survives_a_restart() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] world: &World, #[resource] asked: &AtomicU32) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = not_for_an_hour(asked), settle = "0s")]
        let paid = if world.find("pay").is_none() { world.act_unheard("pay") } else { world.act("pay") }?;
        Ok(paid)
    }
    let (store, world, asked, clock) =
        (MemoryStore::new(), World::default(), AtomicU32::new(0), ManualClock::default());
    let before = clock.now();
    let waits = Session::builder("memory").store(store.clone()).clock(Waits(clock.clone())).open().await.unwrap();
    killed(pay(&waits, &world, &asked)).await;
    drop(waits);
    assert_eq!(pay(&open_at(&store, &clock).await, &world, &asked).await.unwrap(), 2);
    assert!(clock.now().since(before) >= HOUR, "absence was believed too early");
    assert_eq!(asked.into_inner(), 3);
}

#[tokio::test]
async fn a_verifier_that_says_not_yet_for_no_time_is_asked_once_a_second_at_most() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] world: &World, #[resource] asked: &AtomicU32) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = at_the_tenth_time(asked))]
        let paid = world.act_unheard("pay")?;
        Ok(paid)
    }
    fn at_the_tenth_time(asked: &AtomicU32) -> Verdict<u32> {
        if asked.fetch_add(1, Ordering::Relaxed) < 9 { Verdict::NotYet(Duration::ZERO) } else { Verdict::Happened(1) }
    }
    let (store, world, clock) = (MemoryStore::new(), World::default(), ManualClock::default());
    let before = clock.now();
    pay(&open_at(&store, &clock).await, &world, &AtomicU32::new(0)).await.unwrap();
    let waits = store.records().iter().filter(|record| matches!(record.event, Event::NotYet(_))).count();
    assert_eq!(waits, 9);
    assert!(clock.now().since(before) >= Duration::from_secs(9), "it spun");
}

/// What a verifier gives that says once that nothing can be told for an hour, and from then on that nothing happened.
fn not_for_an_hour(asked: &AtomicU32) -> Verdict<u32> {
    match asked.fetch_add(1, Ordering::Relaxed) {
        0 => Verdict::NotYet(HOUR),
        _ => Verdict::DidNotHappen,
    }
}

/// A clock that stands still: whoever waits does so until the process is killed.
struct Waits(ManualClock);

impl Clock for Waits {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn sleep_until(&self, _: Timestamp) -> Pending<'_, ()> {
        Box::pin(std::future::pending())
    }
}

#[durable_workflow(goal = "pay")]
async fn wire(session: &Session, #[resource] world: &World) -> anyhow::Result<u32> {
    #[side_effect(key = "pay", in_doubt = "treasury")]
    let paid = world.act_unheard("pay")?;
    Ok(paid)
}

#[tokio::test]
async fn an_answer_of_another_type_is_refused_where_it_is_said() {
    let (store, world) = (MemoryStore::new(), World::default());
    let session = open(&store).await;
    wire(&session, &world).await.unwrap_err();
    let handoff = session.handoff().to_string();
    assert!(handoff.contains("with the RESULT that it gave, as JSON of type `u32`"), "{handoff}");
    let error = session.resolve("wire//pay").happened("five").by("Ann", "a guess").await.unwrap_err();
    assert!(error.is_nothing_asked() && error.key() == Some("wire//pay"), "{error}");
    assert!(error.to_string().contains("`u32` is asked for, and it gives `\"five\"`"), "{error}");
    let handoff = session.handoff().to_string();
    assert!(handoff.contains("`u32` is asked for") && handoff.contains("durable resolve wire//pay"), "{handoff}");
    session.resolve("wire//pay").happened(&5).by("Ann", "the bank says so").await.unwrap();
    drop(session);
    assert_eq!(wire(&open(&store).await, &world).await.unwrap(), 5);
    assert_eq!(world.acts(), ["pay"]);
}

#[tokio::test]
async fn a_word_with_half_a_key_or_without_a_name_is_told_what_it_lacks() {
    let (store, world) = (MemoryStore::new(), World::default());
    let session = open(&store).await;
    wire(&session, &world).await.unwrap_err();
    let refused = async |key: &str, name: &str| {
        session.resolve(key).happened(&5).by(name, "the bank says so").await.unwrap_err().to_string()
    };
    for key in ["pay", "wire/pay"] {
        let error = refused(key, "Ann").await;
        assert!(error.contains("did you mean `wire//pay`?"), "{error}");
    }
    let error = refused("cheque", "Ann").await;
    assert!(
        error.contains("the handoff and the journal name every open question") && !error.contains("did you mean"),
        "{error}"
    );
    let error = refused("wire//pay", "").await;
    assert!(error.contains("needs a name and a reason") && error.contains("say it again"), "{error}");
    assert!(!error.contains("asked"), "it is asked for, and open: {error}");
}
