//! Many things at once: each step is known by its key, whatever comes first.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::{each, try_join};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use super::{World, breaking, keys, open};

fn down() -> World {
    World { is_down: true.into(), ..World::default() }
}

/// The first one fails while the others run: they end, and are recorded, and nothing new is begun.
#[tokio::test]
async fn each_lets_what_is_running_end_and_begins_nothing_new() {
    #[durable_workflow(goal = "work")]
    async fn work(session: &Session, #[resource] world: &World) -> anyhow::Result<Vec<u32>> {
        each(0..6_u32, 3, async |n| {
            world.begins();
            #[side_effect(key = "act/{n}" as act, verify = world.find(act.as_str()), settle = "0s")]
            slow(world, act.as_str(), n).await?;
            anyhow::Ok(n)
        })
        .await
    }
    async fn slow(world: &World, what: &str, n: u32) -> anyhow::Result<()> {
        for _ in 0..10 * n {
            tokio::task::yield_now().await;
        }
        if n == 0 {
            world.check()?;
        }
        Ok(world.act(what)?)
    }
    let (store, world) = (MemoryStore::new(), down());
    let error = work(&open(&store).await, &world).await.unwrap_err().to_string();
    assert!(error.starts_with("step `work//act/0` is in doubt"), "{error}");
    assert_eq!(world.happened(), ["work//act/1", "work//act/2"]);
    assert_eq!(world.begun.load(Ordering::Relaxed), 3, "nothing new is begun, not even to be refused");
    assert_eq!(keys(&store, "done"), ["work//act/1 1", "work//act/2 1"], "what was running is recorded");
    world.is_down.store(false, Ordering::Relaxed);
    assert_eq!(work(&open(&store).await, &world).await.unwrap(), [0, 1, 2, 3, 4, 5], "in the order of the items");
    assert_eq!(world.happened().len(), 6);
}

#[tokio::test]
async fn each_keeps_to_its_bound() {
    let (running, most) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let work = each(0..20, 4, async |n: u32| {
        running.set(running.get() + 1);
        most.set(most.get().max(running.get()));
        for _ in 0..(n * 7) % 5 {
            tokio::task::yield_now().await;
        }
        running.set(running.get() - 1);
        Ok::<_, std::io::Error>(n)
    });
    assert_eq!(work.await.unwrap(), (0..20).collect::<Vec<_>>());
    assert_eq!(most.get(), 4);
}

/// The refusal comes first in time; what it comes from is told.
#[tokio::test]
async fn try_join_tells_the_error_and_not_the_refusal_that_follows_from_it() {
    #[durable_workflow(goal = "work")]
    async fn work(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        let ((), ()) = try_join!(
            async {
                #[side_effect(key = "fails", in_doubt = "office")]
                world.check()?;
                anyhow::Ok(())
            },
            async {
                tokio::task::yield_now().await;
                for n in 0..9 {
                    #[side_effect(key = "act/{n}", in_doubt = "office")]
                    world.act(&n.to_string())?;
                }
                anyhow::Ok(())
            },
        )?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), down());
    let error = work(&open(&store).await, &world).await.unwrap_err().to_string();
    assert_eq!(error, "the world is down");
    assert_eq!(keys(&store, "reserve").len(), keys(&store, "done").len() + 1, "only the one that failed has no result");
}

/// G15: which one comes first is another in each start; what follows is paired by key.
#[tokio::test]
async fn g15_results_of_an_unordered_stream_are_paired_by_key() {
    #[durable_workflow(goal = "race")]
    async fn race(session: &Session, #[resource] world: &World, #[resource] first: &str) -> anyhow::Result<String> {
        let runners = ["x", "y"].map(async |name| {
            for _ in 0..if name == first { 0 } else { 50 } {
                tokio::task::yield_now().await;
            }
            #[side_effect(key = "run/{name}" as run, in_doubt = "office")]
            world.act(run.as_str())?;
            anyhow::Ok(name)
        });
        let mut runners = runners.into_iter().collect::<FuturesUnordered<_>>();
        let mut order = Vec::new();
        while let Some(name) = runners.next().await {
            let name = name?;
            #[side_effect(key = "follow/{name}" as follow, in_doubt = "office")]
            let followed = world.pay(follow)?;
            order.push(followed);
            #[read(key = "check/{name}")]
            world.check()?;
        }
        order.sort_unstable();
        Ok(order.join(" "))
    }
    let (store, world) = (MemoryStore::new(), breaking());
    race(&open(&store).await, &world, "y").await.unwrap_err();
    assert_eq!(world.happened().last().unwrap(), "race//follow/y");
    world.is_down.store(false, Ordering::Relaxed);
    race(&open(&store).await, &world, "x").await.unwrap();
    let mut happened = world.happened();
    happened.sort_unstable();
    assert_eq!(happened, ["race//follow/x", "race//follow/y", "race//run/x", "race//run/y"]);
}

/// G16: the order is another in each start; the letter tells what was done in the order in which it was.
#[tokio::test]
async fn g16_the_order_of_a_hash_map_does_not_matter() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] world: &World, #[resource] most: usize) -> anyhow::Result<usize> {
        let accounts: HashMap<u32, u32> = (0..20).map(|n| (n, n)).collect();
        let mut paid = 0;
        for account in accounts.keys() {
            anyhow::ensure!(world.happened().len() < most, "no money left");
            #[side_effect(key = "pay/{account}", in_doubt = "bank")]
            world.act(&format!("pay//pay/{account}"))?;
            paid += 1;
        }
        Ok(paid)
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let session = open(&store).await;
    pay(&session, &world, 7).await.unwrap_err();
    let seven = world.happened();
    assert_eq!(seven.len(), 7);
    assert!(session.handoff().to_string().contains(seven.last().unwrap()), "{}", session.handoff());
    drop(session);
    assert_eq!(pay(&open(&store).await, &world, 100).await.unwrap(), 20);
    let mut all = world.happened();
    assert_eq!(all[..7], seven);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 20, "each once");
}

/// G36: 50 that end together are all recorded.
#[tokio::test]
async fn g36_fifty_steps_at_once_are_all_recorded() {
    #[durable_workflow(goal = "work")]
    async fn work(session: &Session, #[resource] world: &World) -> anyhow::Result<usize> {
        let done = each(0..50_u32, 50, async |n| {
            #[side_effect(key = "act/{n}" as act, in_doubt = "office")]
            world.act(act.as_str())?;
            anyhow::Ok(n)
        });
        let done = done.await?.len();
        #[read(key = "check")]
        world.check()?;
        Ok(done)
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("session");
    let world = breaking();
    let session = Session::open(&path).await.unwrap();
    work(&session, &world).await.unwrap_err();
    drop(session);
    let registry = std::fs::read_to_string(path.join("idempotency.json")).unwrap();
    assert_eq!(serde_json::from_str::<Vec<String>>(&registry).unwrap().len(), 50);
    world.is_down.store(false, Ordering::Relaxed);
    assert_eq!(work(&Session::open(&path).await.unwrap(), &world).await.unwrap(), 50);
    assert_eq!(world.happened().len(), 50);
}

/// G37: two branches, whose gates open in another order in each start.
#[tokio::test]
async fn g37_branches_of_a_join_keep_their_own_steps() {
    #[durable_workflow(goal = "branches")]
    async fn branches(session: &Session, #[resource] world: &World, #[resource] slow: &str) -> anyhow::Result<()> {
        let branch = async |name: &'static str| {
            #[read(key = "gate/{name}")]
            let turns = 30 * u32::from(name == slow);
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            #[side_effect(key = "middle/{name}" as middle, in_doubt = "office")]
            world.act(middle.as_str())?;
            #[side_effect(key = "final/{name}" as last, in_doubt = "office")]
            world.act(last.as_str())?;
            anyhow::Ok(())
        };
        try_join!(branch("left"), branch("right"))?;
        #[read(key = "check")]
        world.check()?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), breaking());
    branches(&open(&store).await, &world, "left").await.unwrap_err();
    assert_eq!(world.happened().len(), 4);
    world.is_down.store(false, Ordering::Relaxed);
    branches(&open(&store).await, &world, "right").await.unwrap();
    assert_eq!(world.happened().len(), 4);
}

/// G04: what the model says is recorded, so a loop whose length nobody knows is the same in each start.
#[tokio::test]
async fn g04_an_agent_loop_of_unknown_length_follows_the_plan_that_was_recorded() {
    #[durable_workflow(goal = "answer")]
    async fn answer(session: &Session, #[resource] world: &World, #[resource] model: u32) -> anyhow::Result<u32> {
        let mut turn = 0;
        loop {
            #[read(key = "think/{turn}")]
            let tools = think(model, turn);
            if tools.is_empty() {
                return Ok(turn);
            }
            for (i, tool) in tools.iter().enumerate() {
                #[side_effect(key = "tool/{turn}/{i}" as call, in_doubt = "office")]
                world.act(&format!("{tool} {}", call.as_str()))?;
            }
            #[read(key = "check/{turn}")]
            world.check()?;
            turn += 1;
        }
    }
    /// Another process would get another plan.
    fn think(model: u32, turn: u32) -> Vec<String> {
        (0..(3 + model).saturating_sub(turn)).map(|n| format!("tool{model}{n}")).collect()
    }
    let (store, world) = (MemoryStore::new(), breaking());
    answer(&open(&store).await, &world, 0).await.unwrap_err();
    let first = world.happened();
    assert_eq!(first.len(), 3);
    world.is_down.store(false, Ordering::Relaxed);
    assert_eq!(answer(&open(&store).await, &world, 1).await.unwrap(), 4);
    assert_eq!(world.happened()[..3], first, "the plan that was recorded is followed");
    assert_eq!(world.happened().len(), 3 + 3 + 2 + 1);
}

/// A run for each day, in one session: a day that is done is done, and one that stopped goes on.
#[tokio::test]
async fn a_job_that_runs_each_day_keeps_its_days_apart() {
    #[durable_workflow(key = "close/{day}", goal = "close {day}")]
    async fn close(session: &Session, #[resource] world: &World, day: &str) -> anyhow::Result<String> {
        #[side_effect(key = "book" as book, in_doubt = "office")]
        world.act(book.as_str())?;
        #[read(key = "check")]
        world.check()?;
        Ok(day.to_owned())
    }
    let (store, world) = (MemoryStore::new(), World::default());
    for day in ["2026-09-13", "2026-09-14", "2026-09-14"] {
        assert_eq!(close(&open(&store).await, &world, day).await.unwrap(), day);
    }
    world.is_down.store(true, Ordering::Relaxed);
    close(&open(&store).await, &world, "2026-09-15").await.unwrap_err();
    world.is_down.store(false, Ordering::Relaxed);
    let session = open(&store).await;
    assert_eq!(close(&session, &world, "2026-09-16").await.unwrap(), "2026-09-16");
    assert_eq!(close(&session, &world, "2026-09-15").await.unwrap(), "2026-09-15");
    assert_eq!(world.happened(), [13, 14, 15, 16].map(|day| format!("close/2026-09-{day}//book")));
}

/// G02: however often it is started again, what is done is not.
#[tokio::test]
async fn g02_starting_again_and_again_repeats_nothing_and_costs_the_same() {
    #[durable_workflow(goal = "turn")]
    async fn turn(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "a", in_doubt = "office")]
        world.act("a")?;
        #[side_effect(key = "b", in_doubt = "office")]
        world.act("b")?;
        #[read(key = "c")]
        world.check()?;
        Ok(())
    }
    let (store, world) = (MemoryStore::new(), down());
    let mut records = Vec::new();
    for _ in 0..7 {
        let before = store.records().len();
        turn(&open(&store).await, &world).await.unwrap_err();
        records.push(store.records().len() - before);
    }
    assert_eq!(world.happened(), ["a", "b"]);
    assert!(records[1..].iter().all(|count| *count == records[1]), "{records:?}");
}

/// A counter over a list that comes in another order: the key is the same, and means another order. Its title shows it.
#[test]
fn g15_a_title_that_is_another_on_a_replay_is_told_of_once() {
    #[durable_workflow(goal = "pack")]
    async fn pack(session: &Session, #[resource] world: &World, #[resource] names: [&str; 3]) -> anyhow::Result<()> {
        for (i, name) in names.iter().enumerate() {
            #[run(key = "pack/{i}", title = "pack for {name}")]
            one(session, world).await?;
            #[side_effect(key = "send/{i}", title = "send to {name}", in_doubt = "office")]
            world.act(&format!("send {i}"))?;
        }
        world.check()?;
        Ok(())
    }
    #[durable_workflow]
    async fn one(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
        #[side_effect(key = "pack", title = "pack", in_doubt = "office")]
        world.act("pack")?;
        Ok(())
    }
    let ((), told) = durable_tests::warnings::of(async || {
        let (store, world) = (MemoryStore::new(), breaking());
        pack(&open(&store).await, &world, ["ada", "bob", "cid"]).await.unwrap_err();
        world.is_down.store(false, Ordering::Relaxed);
        pack(&open(&store).await, &world, ["bob", "ada", "cid"]).await.unwrap();
    });
    let told: Vec<_> = told.iter().filter(|line| line.contains("names another thing than it did")).collect();
    let [run, step] = told.as_slice() else { panic!("{told:?}") };
    assert!(run.contains("pack//pack/0") && run.contains("pack for \\\"ada\\\""), "{run}");
    assert!(step.contains("pack//send/0") && step.contains("send to \\\"bob\\\""), "{step}");
}

/// The test calls itself, in a process whose standard error can be read.
#[test]
fn g15_whoever_started_the_process_is_told_of_a_title_that_is_another() {
    #[durable_workflow(goal = "pack")]
    async fn pack(session: &Session, #[resource] names: &[&str], #[resource] fails: bool) -> anyhow::Result<()> {
        for (i, name) in names.iter().enumerate() {
            #[read(key = "pack/{i}", title = "pack for {name}")]
            async {}.await;
        }
        anyhow::ensure!(!fails, "not yet");
        Ok(())
    }
    const PLACE: &str = "DURABLE_TEST_RETITLED";
    if let Ok(place) = std::env::var(PLACE) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let work = async |names: [&'static str; 2], fails| {
            durable_runtime::run(&place, async |session| pack(session, &names, fails).await).await
        };
        assert_eq!(runtime.block_on(work(["ada", "bob"], true)), durable_runtime::Outcome::Stopped);
        assert_eq!(runtime.block_on(work(["bob", "ada"], false)), durable_runtime::Outcome::Finished);
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let name = std::thread::current().name().unwrap().to_owned();
    let mut itself = std::process::Command::new(std::env::current_exe().unwrap());
    let output = itself.args(["--exact", &name, "--nocapture"]).env(PLACE, directory.path()).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    let line = "`pack//pack/0` has the title (pack for \"bob\"), and was recorded with (pack for \"ada\")";
    assert_eq!(told.matches(line).count(), 1, "{told}");
    assert_eq!(told.matches("has the title").count(), 1, "{told}");
}

/// G25: the same key with another input is refused, be the run finished or not.
#[tokio::test]
async fn g25_a_run_is_not_given_for_another_input() {
    #[durable_workflow(key = "order/{id}", goal = "order")]
    async fn order(session: &Session, #[resource] world: &World, id: u32, size: u32) -> anyhow::Result<u32> {
        #[read(key = "check")]
        world.check()?;
        Ok(size)
    }
    let (store, world) = (MemoryStore::new(), down());
    order(&open(&store).await, &world, 5, 1).await.unwrap_err();
    for is_down in [true, false] {
        let error = order(&open(&store).await, &world, 5, 2).await.unwrap_err().to_string();
        assert!(error.contains("another input, `size`: recorded 1, given 2"), "{error}");
        world.is_down.store(false, Ordering::Relaxed);
        if is_down {
            order(&open(&store).await, &world, 5, 1).await.unwrap();
        }
    }
}

/// Whichever comes second is refused, also while the first still runs.
#[tokio::test]
async fn of_branches_that_reach_one_key_at_once_one_does_the_effect_and_the_others_are_refused() {
    #[durable_workflow(goal = "pay")]
    async fn pay(session: &Session, #[resource] world: &World, ids: Vec<u32>) -> anyhow::Result<()> {
        each(ids, 8, async |id| {
            #[side_effect(key = "pay/{id}", in_doubt = "office")]
            slowly(world, id).await?;
            anyhow::Ok(())
        })
        .await?;
        Ok(())
    }
    async fn slowly(world: &World, id: u32) -> anyhow::Result<()> {
        tokio::task::yield_now().await;
        Ok(world.act(&format!("pay {id}"))?)
    }
    let (store, world) = (MemoryStore::new(), World::default());
    let error = pay(&open(&store).await, &world, vec![7; 8]).await.unwrap_err().to_string();
    assert!(error.contains("key `pay//pay/7` is reached twice"), "{error}");
    assert_eq!(world.happened(), ["pay 7"]);
}
