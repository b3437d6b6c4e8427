//! A log that is lost under a run in a run: nothing new is begun in the inner one either before the effects of the outer are settled.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use durable_runtime::prelude::*;
use durable_runtime::{Outcome, Waits, Word, post};

/// What has happened, and whether something is overdue, which a query would tell.
#[derive(Default)]
struct World {
    done: Mutex<Vec<String>>,
    is_overdue: bool,
}

impl World {
    async fn pay(&self, key: &StepKey) -> anyhow::Result<()> {
        self.done.lock().unwrap().push(key.to_string());
        Ok(())
    }

    fn find(&self, key: &StepKey) -> bool {
        self.done.lock().unwrap().contains(&key.to_string())
    }
}

#[durable_workflow(goal = "look for a fine")]
async fn fines(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
    #[read(key = "overdue")]
    let is_overdue = world.is_overdue;
    if is_overdue {
        #[side_effect(key = "fine" as fine, verify = world.find(fine), settle = "0s")]
        world.pay(fine).await?;
    }
    Ok(())
}

#[durable_workflow(goal = "close the account")]
async fn close(session: &Session, #[resource] world: &World) -> anyhow::Result<()> {
    #[run(key = "in")]
    fines(session, world).await?;
    #[side_effect(key = "close" as close, verify = world.find(close), settle = "0s")]
    world.pay(close).await?;
    #[decision(key = "agree", ask = "finance")]
    let _agree: Approval = session.decide().await?;
    Ok(())
}

async fn start(dir: &Path, world: &World) -> Outcome {
    let session = Session::builder(dir).waits(Waits::Exit);
    session.run(async |session| close(session, world).await).await
}

#[tokio::test]
async fn a_read_in_an_inner_run_is_asked_about_before_the_outer_one_is_settled() {
    let directory = tempfile::tempdir().unwrap();
    let dir = directory.path().join("session");
    let mut world = World::default();
    assert_eq!(start(&dir, &world).await, Outcome::Waiting);
    fs::remove_file(dir.join("journal.jsonl")).unwrap();
    world.is_overdue = true;
    assert_eq!(start(&dir, &world).await, Outcome::InDoubt);
    assert_eq!(*world.done.lock().unwrap(), ["close//close"], "no fine for an account that is closed");

    // Whoever remembers settles it, and then the read is asked about.
    post(&dir, Word::resolve("close//close").happened(&()).by("ada", "in the books")).await.unwrap();
    assert_eq!(start(&dir, &world).await, Outcome::InDoubt);
    post(&dir, Word::resolve("close//in//overdue").happened(&false).by("ada", "nothing was")).await.unwrap();
    assert_eq!(start(&dir, &world).await, Outcome::Waiting);
    assert_eq!(*world.done.lock().unwrap(), ["close//close"]);
}
