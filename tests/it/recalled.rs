//! Results that memory does not hold: they are read where they stand, whatever was done to the log meanwhile.

use std::cell::Cell;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use durable_runtime::Error;
use durable_runtime::prelude::*;

/// Longer than what is kept at hand, and in no two steps the same.
fn report(day: u32, hour: u32) -> String {
    format!("day {day} hour {hour} ").repeat(40 + hour as usize)
}

/// How often something was done.
#[derive(Default)]
struct World(Cell<u32>);

#[durable_workflow(key = "day/{n}", goal = "report each hour", local)]
async fn day(session: &Session, #[resource] world: &World, n: u32) -> anyhow::Result<String> {
    let mut all = String::new();
    for hour in 0..6 {
        #[side_effect(key = "hour/{hour}", idempotent = "by its name")]
        let done = world.write(n, hour)?;
        assert_eq!(done, report(n, hour));
        all += &done;
    }
    world.may_end(n)?;
    Ok(all)
}

impl World {
    fn write(&self, day: u32, hour: u32) -> anyhow::Result<String> {
        self.0.set(self.0.get() + 1);
        Ok(report(day, hour))
    }

    /// The last day breaks down until everything was done once.
    fn may_end(&self, day: u32) -> anyhow::Result<()> {
        if day == 9 && self.0.get() < 100 { anyhow::bail!("not yet") } else { Ok(()) }
    }
}

async fn open(dir: &Path, trim_after: u64) -> Result<Session, Error> {
    Session::builder(dir).goal("work").trim_after(trim_after).open().await
}

fn whole(n: u32) -> String {
    (0..6).map(|hour| report(n, hour)).collect()
}

/// In the process that has recorded them, in a later one, from the log and from what was kept of it.
#[tokio::test]
async fn results_of_runs_are_the_same_from_wherever_they_are_read() {
    for trim_after in [1, u64::MAX] {
        let dir = tempfile::tempdir().unwrap();
        let world = World::default();
        for _ in 0..2 {
            let session = open(dir.path(), trim_after).await.unwrap();
            for n in 0..4 {
                assert_eq!(day(&session, &world, n).await.unwrap(), whole(n));
            }
            for n in 0..4 {
                assert_eq!(day(&session, &world, n).await.unwrap(), whole(n));
            }
        }
        assert_eq!(world.0.get(), 24);
    }
}

#[tokio::test]
async fn results_of_steps_are_replayed_from_the_log_and_from_what_was_kept_of_it() {
    for trim_after in [1, u64::MAX] {
        let dir = tempfile::tempdir().unwrap();
        let world = World::default();
        day(&open(dir.path(), trim_after).await.unwrap(), &world, 9).await.unwrap_err();
        let session = open(dir.path(), trim_after).await.unwrap();
        day(&session, &world, 1).await.unwrap();
        session.trim().await.unwrap();
        world.0.set(100);
        assert_eq!(day(&session, &world, 9).await.unwrap(), whole(9));
        assert_eq!(world.0.get(), 100);
    }
}

/// The seed's script appends to the log of a session that is held: what comes behind stands elsewhere than was thought.
#[tokio::test]
async fn a_result_is_found_though_somebody_has_written_into_the_log_between() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::default();
    let session = open(dir.path(), u64::MAX).await.unwrap();
    let mut journal = fs::OpenOptions::new().append(true).open(dir.path().join("journal.jsonl")).unwrap();
    writeln!(journal, r#"{{"t": "2026-11-30T08:00:00Z", "action": "note", "text": "by hand"}}"#).unwrap();
    assert_eq!(day(&session, &world, 1).await.unwrap(), whole(1));
    assert_eq!(day(&session, &world, 1).await.unwrap(), whole(1));
    assert_eq!(world.0.get(), 6);
}

/// What the disk has changed since it was read is not believed.
#[tokio::test]
async fn a_result_that_was_damaged_while_the_session_is_held_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::default();
    let session = open(dir.path(), u64::MAX).await.unwrap();
    day(&session, &world, 1).await.unwrap();
    let path = dir.path().join("journal.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let end = text.find(r#""action":"end""#).unwrap();
    let spoilt = text[end..].replacen("hour 3", "hour 4", 1);
    // In place: another file would not be appended to.
    let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all(format!("{}{spoilt}", &text[..end]).as_bytes()).unwrap();
    let error = day(&session, &world, 1).await.unwrap_err();
    assert!(error.to_string().contains("cannot be read any more"), "{error}");
    assert_eq!(world.0.get(), 6);
}
