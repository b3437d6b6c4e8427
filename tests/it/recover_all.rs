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

#[tokio::test]
async fn a_root_that_is_not_there_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let missing = root.path().join("missing");
    let error = recover_all(&missing).run(async |_| Ok::<_, String>(())).await.unwrap_err().to_string();
    assert!(error.contains("list the sessions") && error.contains("missing"), "{error}");
    let none = recover_all(root.path()).run(async |_| Ok::<_, String>(())).await.unwrap();
    assert!(none.sessions.is_empty() && none.due().is_none());
}
