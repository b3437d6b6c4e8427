//! Random workflows in a hostile world, against what must come out of them: every effect once, and the result that a
//! world without faults gives.

mod program;
mod world;

use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;
use program::{Kind, Op, Program, Step, run};
use proptest::prelude::*;
use world::{Fault, World};

/// More starts than any program of these needs: each fault ends at most two of them.
const STARTS: usize = 60;

/// Starts the program again and again, and answers what is asked, until it is through.
async fn live(program: &Program, world: &World) -> u64 {
    let (store, clock) = (MemoryStore::new(), world.clock.clone());
    for _ in 0..STARTS {
        let session = open(&store, &clock).await;
        // Whoever still waits after this long is killed.
        match tokio::time::timeout(Duration::from_secs(3600), run(&session, world, program.clone())).await {
            Ok(Ok(result)) => return result,
            Ok(Err(_)) => answer(&session, world, program).await,
            Err(_) => {}
        }
    }
    panic!("not through after {STARTS} starts:\n{}", open(&store, &clock).await.handoff());
}

/// A person who reads the handoff, waits until everything has landed, looks, and says the truth.
async fn answer(session: &Session, world: &World, program: &Program) {
    let handoff = session.handoff().to_string();
    let is_asked =
        |key: &str| ["ada", "operator"].iter().any(|who| handoff.contains(&format!("ASK {who} whether `{key}`")));
    for (key, _) in program.steps().filter(|(key, _)| is_asked(key)) {
        world.clock.advance(Duration::from_secs(60));
        let answer = session.resolve(&key);
        let answer = match world.find(&key) {
            Some(value) => answer.happened(&value),
            None => answer.did_not_happen(),
        };
        answer.by("ada", "looked it up").await.unwrap();
    }
}

async fn open(store: &MemoryStore, clock: &ManualClock) -> Session {
    loop {
        match Session::builder("memory").store(store.clone()).clock(clock.clone()).open().await {
            Err(error) if error.is_locked() => tokio::task::yield_now().await,
            opened => return opened.unwrap(),
        }
    }
}

fn paused() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        2 => Just(Fault::Busy),
        2 => Just(Fault::Reset),
        2 => Just(Fault::Unheard),
        2 => Just(Fault::DiesBefore),
        2 => Just(Fault::DiesAfter),
        2 => Just(Fault::LandsLate),
        1 => Just(Fault::Panics),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![
        4 => Just(Kind::Verified),
        2 => Just(Kind::Idempotent),
        1 => Just(Kind::Asked),
        2 => Just(Kind::Read),
    ];
    let faults = prop::collection::vec(fault(), 0..4);
    let blind = prop_oneof![3 => Just(0), 1 => 1..3_u32];
    (kind, 1..4_u32, faults, blind, any::<bool>()).prop_map(|(kind, attempts, faults, blind, limited)| Step {
        kind,
        attempts,
        faults,
        blind,
        limited,
    })
}

fn program() -> impl Strategy<Value = Program> {
    let op = prop_oneof![
        4 => step().prop_map(Op::Alone),
        2 => prop::collection::vec(step(), 1..4).prop_map(Op::Together),
        1 => prop::collection::vec(step(), 1..3).prop_map(Op::Nested),
    ];
    prop::collection::vec(op, 1..5).prop_map(Program::of)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_befalls_a_workflow_each_effect_happens_once_and_the_result_is_the_same(program in program()) {
        let world = World::of(&program);
        let result = paused().block_on(live(&program, &world));
        prop_assert_eq!(result, program.result());
        for (key, step) in program.steps() {
            let happened = world.count(&key);
            match step.kind {
                Kind::Read => prop_assert!(happened >= 1, "{key} was never read"),
                _ => prop_assert_eq!(happened, 1, "{} happened {} times", key, happened),
            }
        }
    }
}
