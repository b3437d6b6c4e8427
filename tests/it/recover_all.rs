//! Many sessions under one root: one bad one does not stop the others, and none is waited for.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::testing::ManualClock;
use durable_runtime::{Outcome, Waits, recover_all};

/// How often each session's effect happened.
#[derive(Default)]
struct World(Mutex<BTreeMap<String, u32>>);

impl World {
    fn act(&self, name: &str) -> anyhow::Result<u32> {
        *self.0.lock().unwrap().entry(name.to_owned()).or_default() += 1;
        Ok(1)
    }
}

#[durable_workflow(key = "job", goal = "work", inputs = "recorded")]
async fn job(session: &Session, #[resource] world: &World, name: String) -> anyhow::Result<u32> {
    #[side_effect(key = "act", in_doubt = "ada")]
    let acted = world.act(&name)?;
    if name == "sleeps" {
        #[sleep(key = "night")]
        session.sleep(Duration::from_secs(3600)).await?;
    }
    if name == "fails" {
        anyhow::bail!("no luck");
    }
    Ok(acted)
}

fn name_of(dir: &Path) -> String {
    dir.file_name().unwrap().to_string_lossy().into_owned()
}

#[tokio::test]
async fn one_bad_session_does_not_stop_the_others_and_a_wait_holds_no_place() {
    let root = tempfile::tempdir().unwrap();
    let world = World::default();
    let (clock, names) = (ManualClock::default(), ["damaged", "fails", "fine", "held", "sleeps"]);
    for name in names {
        let session = Session::builder(root.path().join(name)).clock(clock.clone()).waits(Waits::Exit).open().await;
        job(&session.unwrap(), &world, name.to_owned()).await.ok();
    }
    let journal = root.path().join("damaged/journal.jsonl");
    let mut bytes = fs::read(&journal).unwrap();
    bytes[100] ^= 1;
    fs::write(&journal, bytes).unwrap();
    fs::create_dir(root.path().join("no session")).unwrap();
    let held = Session::open(root.path().join("held")).await.unwrap();

    let recover = recover_all(root.path()).at_once(1);
    let recover = recover.each({
        let clock = clock.clone();
        move |builder| builder.clock(clock.clone())
    });
    let recovered = recover.run(async |session| job(session, &world, "?".to_owned()).await).await.unwrap();
    let outcomes: Vec<_> = recovered.sessions.iter().map(|one| (name_of(&one.dir), one.outcome)).collect();
    let expected = [Outcome::Damaged, Outcome::Stopped, Outcome::Finished, Outcome::Held, Outcome::Waiting].into_iter();
    assert_eq!(outcomes, names.map(str::to_owned).into_iter().zip(expected).collect::<Vec<_>>());
    assert!(recovered.due().is_some(), "{recovered:?}");
    let errors = recovered.sessions.iter().filter(|one| one.error.is_some()).count();
    assert_eq!(errors, 4, "{recovered:?}");
    drop(held);

    clock.advance(Duration::from_secs(3600));
    let round = recover_all(root.path()).each(move |builder| builder.clock(clock.clone()));
    let recovered = round.run(async |session| job(session, &world, "?".to_owned()).await).await.unwrap();
    let sleeps = recovered.sessions.iter().find(|one| name_of(&one.dir) == "sleeps").unwrap();
    assert_eq!((sleeps.outcome, sleeps.due, recovered.due()), (Outcome::Finished, None, None), "{recovered:?}");
    assert!(world.0.lock().unwrap().values().all(|&times| times == 1), "{:?}", world.0);
}

/// Sessions under a root, each of which sleeps for so many hours.
async fn asleep(root: &Path, clock: &ManualClock, hours: [u64; 3]) {
    for (name, hours) in ["a", "b", "c"].into_iter().zip(hours) {
        let session = Session::builder(root.join(name)).clock(clock.clone()).waits(Waits::Exit).open().await;
        nap(&session.unwrap(), hours).await.unwrap_err();
    }
}

#[durable_workflow(key = "nap", goal = "sleep", inputs = "recorded")]
async fn nap(session: &Session, hours: u64) -> anyhow::Result<()> {
    #[sleep(key = "night")]
    session.sleep(Duration::from_secs(3600 * hours)).await?;
    Ok(())
}

#[tokio::test]
async fn the_next_round_is_due_when_the_first_of_those_that_wait_goes_on() {
    let (root, clock) = (tempfile::tempdir().unwrap(), ManualClock::default());
    asleep(root.path(), &clock, [2, 1, 3]).await;
    let on = clock.clone();
    let recover = recover_all(root.path()).each(move |builder| builder.clock(on.clone()));
    let recovered = recover.run(async |session| nap(session, 0).await).await.unwrap();
    let dues: Vec<_> = recovered.sessions.iter().map(|one| one.due.unwrap()).collect();
    assert!(dues[1] < dues[0] && dues[0] < dues[2], "{recovered:?}");
    assert_eq!(recovered.due(), Some(dues[1]));
}

/// What is said of each session is what counts: here that a wait holds its place.
#[tokio::test]
async fn a_setting_of_the_sessions_stands_before_that_of_the_round() {
    let (root, clock) = (tempfile::tempdir().unwrap(), ManualClock::default());
    asleep(root.path(), &clock, [1, 1, 1]).await;
    let on = clock.clone();
    let recover = recover_all(root.path()).each(move |builder| builder.clock(on.clone()).waits(Waits::Hold));
    let later = async {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        clock.advance(Duration::from_secs(3600));
    };
    let (recovered, ()) = tokio::join!(recover.run(async |session| nap(session, 0).await), later);
    let recovered = recovered.unwrap();
    assert!(recovered.sessions.iter().all(|one| one.outcome == Outcome::Finished), "{recovered:?}");
}

#[tokio::test]
async fn no_more_are_open_at_once_than_is_said_and_work_that_fails_by_itself_has_failed() {
    let (root, open) = (tempfile::tempdir().unwrap(), Mutex::new((0, 0)));
    for name in ["a", "b", "c", "d", "e"] {
        Session::open(root.path().join(name)).await.unwrap().close().await.unwrap();
    }
    let work = async |_: &Session| {
        {
            let mut open = open.lock().unwrap();
            *open = (open.0 + 1, open.1.max(open.0 + 1));
        }
        // Long enough for a third one to come, if it may.
        for _ in 0..20_000 {
            tokio::task::yield_now().await;
        }
        open.lock().unwrap().0 -= 1;
        Err::<(), _>("no luck")
    };
    let recovered = recover_all(root.path()).at_once(2).run(work).await.unwrap();
    let (left, most) = *open.lock().unwrap();
    assert!(left == 0 && most <= 2, "{most} at once");
    let failed = |one: &&durable_runtime::RecoveredOne| {
        one.outcome == Outcome::Stopped && one.error.as_deref() == Some("no luck")
    };
    assert_eq!(recovered.sessions.iter().filter(failed).count(), 5, "{recovered:?}");
}

#[tokio::test]
async fn a_root_that_is_not_there_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let missing = root.path().join("missing");
    let error = recover_all(&missing).run(async |_| Ok::<_, String>(())).await.unwrap_err().to_string();
    assert!(error.contains("list the sessions") && error.contains("missing"), "{error}");
    let none = recover_all(root.path()).run(async |_| Ok::<_, String>(())).await.unwrap();
    assert!(none.sessions.is_empty() && none.due().is_none());
}
