//! A thousand sessions, and one with a hundred thousand steps.

use std::time::{Duration, Instant};

use durable_runtime::{Durability, Session};

use crate::support::World;

/// So slow is no machine, and no listing that reads what it need not.
const SLOW: Duration = Duration::from_secs(30);

#[test]
fn a_thousand_sessions_are_listed_in_one_look() {
    let world = World::with(&[]);
    for number in 0..1_000 {
        world.copy(if number % 100 == 0 { "asked" } else { "finished" }, &format!("order-{number:04}"));
    }
    let began = Instant::now();
    let list = world.durable(&["status", "."]);
    assert!(began.elapsed() < SLOW, "{:?}", began.elapsed());
    assert_eq!((list.code, list.out.lines().count()), (75, 12));
    assert!(list.out.contains("\n990 that need nobody are not listed: `--all` lists them\n"), "{}", list.out);
    assert_eq!(list.out.lines().last().unwrap(), "1000 sessions: 990 finished, 10 in doubt");
    assert!(list.out.lines().nth(9).unwrap().starts_with("in doubt    order-0900"), "{}", list.out);
}

#[test]
fn those_that_need_nobody_are_listed_where_that_is_asked_for() {
    let world = World::with(&[]);
    (0..21).for_each(|number| world.copy("finished", &format!("order-{number:02}")));
    assert_eq!(world.durable(&["status", "."]).done().lines().count(), 2);
    assert_eq!(world.durable(&["status", ".", "--all"]).done().lines().count(), 22);
    assert_eq!(world.durable(&["status", ".", "--unfinished"]).done().lines().count(), 1);
    assert_eq!(world.durable(&["status", ".", "--json"]).json()["sessions"].as_array().unwrap().len(), 21);
}

#[test]
fn sessions_are_found_in_directories_of_directories_and_nothing_inside_them_or_behind_a_link() {
    let world = World::with(&[]);
    std::fs::create_dir_all(world.path("root/2026/09")).unwrap();
    for name in ["root/2026/09/asked", "root/2026/plain", "root/top", "elsewhere"] {
        world.copy("finished", name);
    }
    world.copy("asked", "root/top/inner");
    std::os::unix::fs::symlink(world.path("elsewhere"), world.path("root/linked")).unwrap();
    std::os::unix::fs::symlink(world.path("root"), world.path("root/2026/again")).unwrap();
    let list = world.durable(&["status", "root"]);
    let named: Vec<_> = list.out.lines().map(|line| line.split_ascii_whitespace().nth(1).unwrap()).collect();
    assert_eq!(named, ["root/2026/09/asked", "root/2026/plain", "root/top", "sessions:"], "{list:?}");
}

/// The values are more than the command is given memory for.
#[tokio::test]
async fn a_hundred_thousand_steps_are_listed_without_their_values() {
    const STEPS: usize = 100_000;
    let world = World::with(&[]);
    let value = "x".repeat(2_000);
    let builder = Session::builder(world.path("session")).goal("read").durability(Durability::ProcessSafe);
    let session = builder.open().await.unwrap();
    for number in 0..STEPS {
        let read = session.read(format!("read/{number}"));
        read.run(async || Ok::<_, anyhow::Error>(value.clone())).await.unwrap();
    }
    drop(session);
    let bounded = |command: &str| {
        let began = Instant::now();
        let line = format!("ulimit -v 160000; MALLOC_ARENA_MAX=1 durable {command}");
        let ran = world.typed("session", &line);
        assert!(began.elapsed() < SLOW, "{command}: {:?}", began.elapsed());
        assert!(ran.err.is_empty(), "{ran:?}");
        ran.out
    };
    assert_eq!(bounded("keys").lines().count(), STEPS);
    assert!(bounded("keys --json | tail -c 100").contains("\"left_out\":0"));
    assert!(bounded("journal | wc -l").trim().parse::<usize>().unwrap() > STEPS);
    assert!(bounded("status").contains("100000 done, 0 open"));
    assert!(bounded("show read/77777").contains("read/77777: done"));
}
