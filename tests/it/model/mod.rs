//! Random workflows in a hostile world, against what must come out of them: every effect once, and the result that a
//! world without faults gives.

mod program;
mod world;

use std::time::Duration;

use durable_runtime::Waits;
use durable_runtime::clock::Clock;
use durable_runtime::core::compact::shrunk;
use durable_runtime::core::time::Timestamp;
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;
use program::{Kind, Op, Program, Step, run};
use proptest::prelude::*;
use world::{Fault, Trouble, World};

/// More starts than any program of these needs: each fault ends at most two of them, and so does each wait.
const STARTS: usize = 100;

/// Starts the program again and again, and answers what is asked, until it is through.
async fn live(program: &Program, world: &World) -> u64 {
    let (store, clock) = (MemoryStore::new(), world.clock.clone());
    for _ in 0..STARTS {
        let session = open(&store, &clock, program).await;
        // Whoever still waits after this long is killed.
        match tokio::time::timeout(Duration::from_secs(90), run(&session, world, program.clone())).await {
            Ok(Ok(result)) => return result,
            Ok(Err(trouble)) => {
                let then = match &trouble {
                    Trouble::Session(error) => error.waits_until().map(Timestamp::from),
                    _ => None,
                };
                clock.advance(then.map_or(Duration::ZERO, |then| then.since(clock.now())));
                answer(&session, world, program).await;
            }
            Err(_) => answer(&session, world, program).await,
        }
        shrunk(&store.records()).expect("a shrunk log says what the whole one says");
    }
    panic!("not through after {STARTS} starts:\n{}", open(&store, &clock, program).await.handoff());
}

/// A person who reads the handoff, waits until everything has landed, looks, and says the truth; who decides, and gives up
/// what waits for nobody.
async fn answer(session: &Session, world: &World, program: &Program) {
    let handoff = session.handoff().to_string();
    for (key, _) in program.steps().filter(|(key, _)| handoff.contains(&format!("ASK ada to decide `{key}`"))) {
        session.answer(&key).value(&World::value(&key)).by("ada", "as ever").await.unwrap();
    }
    for run in program.given_up().filter(|run| handoff.contains(&format!("ASK nobody to decide `{run}//wait`"))) {
        session.cancel(run).by("ada", "nobody wants it").await.ok();
    }
    let is_asked = |key: &str| {
        let is_unseen = |line: &str| line.contains(&format!("VERIFY `{key}`")) && line.contains("still cannot tell");
        handoff.contains(&format!("ASK ada whether `{key}`")) || handoff.lines().any(is_unseen)
    };
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

async fn open(store: &MemoryStore, clock: &ManualClock, program: &Program) -> Session {
    let waits = if program.exits { Waits::Exit } else { Waits::Hold };
    let trim_after = if program.trims { 1 } else { u64::MAX };
    loop {
        let builder = Session::builder("memory").store(store.clone()).clock(clock.clone());
        match builder.waits(waits).trim_after(trim_after).open().await {
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
        1 => Just(Fault::Refused),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![
        4 => Just(Kind::Verified),
        2 => Just(Kind::Idempotent),
        1 => Just(Kind::Asked),
        2 => Just(Kind::Read),
        2 => Just(Kind::Recorded),
        1 => Just(Kind::Sleep),
        1 => Just(Kind::Decision),
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

fn cleanup() -> impl Strategy<Value = Step> {
    step().prop_map(|step| Step { kind: Kind::Verified, ..step })
}

fn program() -> impl Strategy<Value = Program> {
    let op = prop_oneof![
        4 => step().prop_map(Op::Alone),
        2 => prop::collection::vec(step(), 1..4).prop_map(Op::Together),
        1 => prop::collection::vec(step(), 1..3).prop_map(Op::Nested),
        1 => (prop::collection::vec(step(), 1..3), cleanup()).prop_map(|(steps, last)| Op::GivenUp(steps, last)),
    ];
    let program = (prop::collection::vec(op, 1..5), any::<bool>(), any::<bool>());
    program.prop_map(|(ops, exits, trims)| Program::of(ops, exits, trims))
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_befalls_a_workflow_each_effect_happens_once_and_the_result_is_the_same(program in program()) {
        let world = World::of(&program);
        let result = paused().block_on(live(&program, &world));
        prop_assert_eq!(result, program.result(|key| world.count(key) > 0));
        prop_assert_eq!(world.woken_early(), 0, "a sleep ended before its time");
        for (key, step) in program.steps() {
            let happened = world.count(&key);
            match step.kind {
                Kind::Read => prop_assert!(happened >= 1, "{key} was never read"),
                Kind::Recorded => prop_assert!(happened <= 1, "{key} happened {happened} times"),
                Kind::Sleep | Kind::Decision => prop_assert_eq!(happened, 0),
                _ => prop_assert_eq!(happened, 1, "{} happened {} times", key, happened),
            }
        }
    }
}
