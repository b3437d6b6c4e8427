//! A second attempt that is killed in the middle, and the line that reserved it is damaged: what is left of the log says
//! that nothing happened, and that is not believed.

use std::sync::Mutex;

use durable_runtime::prelude::*;

use super::world::World;
use crate::payments::{Directory, Files};

type Damage = fn(&mut Vec<u8>);

/// What can become of the last line.
const DAMAGE: [(&str, Damage); 4] = [
    ("a bit of it is flipped", |line| line[40] ^= 1),
    ("half of it is gone", |line| line.truncate(line.len() / 2)),
    ("its line feed is gone", |line| line.truncate(line.len() - 1)),
    ("it is zeroed", |line| line.fill(0)),
];

/// A worker in its second attempt: what it acts on, and the files that a kill in the middle of the effect leaves.
#[derive(Default)]
struct Worker {
    world: World,
    killed: Mutex<Option<Files>>,
}

impl Worker {
    /// Nothing happens in the first attempt.
    fn act(&self, directory: &Directory) -> anyhow::Result<u32> {
        self.world.last()?;
        let acts = self.world.act("pay")?;
        *self.killed.lock().unwrap() = Some(Files(directory.files().bytes()));
        Ok(acts)
    }

    /// The session as the kill left it, its last line damaged, and without the view that knows of the attempt.
    fn damaged(&self, damage: Damage) -> Directory {
        Directory::of(&self.left(damage).without(&["state.json"]))
    }

    /// The files as the kill left them, the last line of the log damaged.
    fn left(&self, damage: Damage) -> Files {
        let files = self.killed.lock().unwrap().take().unwrap();
        let mut lines: Vec<_> = files.lines().into_iter().map(|line| line.as_bytes().to_vec()).collect();
        let last = lines.last_mut().unwrap();
        assert!(String::from_utf8_lossy(last).contains("\"attempt\":2"));
        damage(last);
        files.with("journal.jsonl", lines.concat())
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_attempt_that_was_torn_away_is_verified_and_not_run_again() {
    #[durable_workflow(goal = "pay")]
    async fn pay(
        session: &Session,
        #[resource] worker: &Worker,
        #[resource] directory: &Directory,
    ) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = worker.world.find("pay"), settle = "0s")]
        let paid = worker.act(directory)?;
        Ok(paid)
    }
    for (how, damage) in DAMAGE {
        let (directory, worker) = (Directory::new(), Worker::default());
        pay(&directory.session().open().await.unwrap(), &worker, &directory).await.unwrap_err();
        pay(&directory.session().open().await.unwrap(), &worker, &directory).await.unwrap();
        let directory = worker.damaged(damage);
        let session = directory.session().open().await.unwrap();
        assert_eq!(pay(&session, &worker, &directory).await.unwrap(), 1, "{how}");
        assert_eq!(worker.world.acts(), ["pay"], "{how}");
    }
}

/// A log that ends with the proof of absence is whole to look at: only the view knows that there was more.
#[tokio::test(start_paused = true)]
async fn a_second_attempt_whose_line_is_gone_without_a_trace_is_verified_and_not_run_again() {
    #[durable_workflow(goal = "pay")]
    async fn pay(
        session: &Session,
        #[resource] worker: &Worker,
        #[resource] directory: &Directory,
    ) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", verify = worker.world.find("pay"), settle = "0s")]
        let paid = worker.act(directory)?;
        Ok(paid)
    }
    let (directory, worker) = (Directory::new(), Worker::default());
    pay(&directory.session().open().await.unwrap(), &worker, &directory).await.unwrap_err();
    pay(&directory.session().open().await.unwrap(), &worker, &directory).await.unwrap();
    let directory = Directory::of(&worker.left(Vec::clear));
    let session = directory.session().open().await.unwrap();
    assert_eq!(pay(&session, &worker, &directory).await.unwrap(), 1);
    assert_eq!(worker.world.acts(), ["pay"]);
}

#[tokio::test(start_paused = true)]
async fn a_second_attempt_that_was_torn_away_is_asked_again_though_a_person_had_denied_the_first() {
    #[durable_workflow(goal = "pay")]
    async fn pay(
        session: &Session,
        #[resource] worker: &Worker,
        #[resource] directory: &Directory,
    ) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", in_doubt = "treasury")]
        let paid = worker.act(directory)?;
        Ok(paid)
    }
    for (how, damage) in DAMAGE {
        let (directory, worker) = (Directory::new(), Worker::default());
        let session = directory.session().open().await.unwrap();
        pay(&session, &worker, &directory).await.unwrap_err();
        session.resolve("pay//pay").did_not_happen().by("Ann", "the bank was closed").await.unwrap();
        drop(session);
        pay(&directory.session().open().await.unwrap(), &worker, &directory).await.unwrap();
        let directory = worker.damaged(damage);
        let session = directory.session().open().await.unwrap();
        let error = pay(&session, &worker, &directory).await.unwrap_err();
        assert!(error.downcast_ref::<durable_runtime::Error>().unwrap().is_in_doubt(), "{how}: {error}");
        assert_eq!(worker.world.acts(), ["pay"], "{how}");
    }
}
