//! Logs that are shrunk: what finished runs leave out of them, nobody misses.

use std::cell::Cell;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use durable_runtime::prelude::*;
use durable_runtime::{Error, Waits, Word, doctor, post};

/// Counts what happens.
#[derive(Default)]
struct World(Cell<u32>);

impl World {
    fn act(&self) -> anyhow::Result<u32> {
        self.0.set(self.0.get() + 1);
        Ok(self.0.get())
    }
}

#[durable_workflow(key = "day/{n}", goal = "do what is done on a day", local)]
async fn day(session: &Session, #[resource] world: &World, n: u32) -> anyhow::Result<u32> {
    let mut sum = 0;
    for hour in 0..4 {
        #[side_effect(key = "hour/{hour}", idempotent = "by its name")]
        let done = world.act()?;
        sum += done;
    }
    Ok(sum)
}

#[durable_workflow(goal = "go on, whatever is left out", local)]
async fn year(session: &Session, #[resource] world: &World, days: u32, ask: bool) -> anyhow::Result<u32> {
    #[side_effect(key = "begin", in_doubt = "ada")]
    let mut sum = world.act()?;
    for n in 0..days {
        #[run(key = "of/{n}")]
        let of_day = day(session, world, n).await?;
        sum += of_day;
        session.trim().await?;
    }
    if ask {
        #[decision(key = "close", ask = "ada", shows = sum)]
        let close: bool = session.decide().await?;
        anyhow::ensure!(close, "not closed");
    }
    Ok(sum)
}

async fn open(dir: &Path, trim_after: u64) -> Result<Session, Error> {
    Session::builder(dir).identity("clerk").goal("work").trim_after(trim_after).open().await
}

/// Does what is done on these days, in one session.
async fn live(dir: &Path, trim_after: u64, world: &World, days: u32) -> Vec<u32> {
    let session = open(dir, trim_after).await.unwrap();
    let mut sums = Vec::new();
    for n in 0..days {
        sums.push(day(&session, world, n).await.unwrap());
    }
    session.close().await.unwrap();
    sums
}

fn lines(dir: &Path, name: &str) -> usize {
    fs::read_to_string(dir.join(name)).unwrap().lines().count()
}

/// Everything but the instants and what is different in each session.
fn handoff(dir: &Path) -> String {
    let text = fs::read_to_string(dir.join("handoff.md")).unwrap();
    text.lines().filter(|line| !line.contains("As of record")).collect::<Vec<_>>().join("\n")
}

fn keys(dir: &Path) -> Vec<String> {
    serde_json::from_slice(&fs::read(dir.join("idempotency.json")).unwrap()).unwrap()
}

fn content(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap()).collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    let read = |entry: &fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    files.iter().map(read).collect()
}

#[tokio::test]
async fn a_job_that_runs_each_day_in_one_session_is_as_short_as_its_last_days() {
    let (short, long) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (world, other) = (World::default(), World::default());
    let sums = live(short.path(), 1, &world, 40).await;
    assert_eq!(sums, live(long.path(), u64::MAX, &other, 40).await);

    // Per day its beginning and its end, of the last twenty actions everything, and the last lines of the log.
    assert!(lines(short.path(), "snapshot.jsonl") < 2 * 40 + 60, "{}", lines(short.path(), "snapshot.jsonl"));
    assert!(lines(short.path(), "journal.jsonl") < 30);
    assert!(lines(long.path(), "journal.jsonl") > 40 * 10);
    assert_eq!(handoff(short.path()), handoff(long.path()));
    assert_eq!(keys(short.path()).len(), 160);

    // Nothing is done again, and everything gives what it gave.
    assert_eq!(live(short.path(), 1, &world, 40).await, sums);
    assert_eq!(world.0.get(), 160);
    assert_eq!(doctor(short.path()).await.unwrap().findings(), []);
}

#[tokio::test]
async fn a_run_goes_on_in_a_log_that_is_shrunk_while_it_runs() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::default();
    let session = Session::builder(dir.path()).goal("work").waits(Waits::Exit).open().await.unwrap();
    year(&session, &world, 3, true).await.unwrap_err();
    drop(session);
    assert_eq!(world.0.get(), 13);

    // Another process reads the shrunk log without its lock, and finds the question.
    post(dir.path(), Word::answer("year//close").value(&true).by("ada", "it adds up")).await.unwrap();
    let session = open(dir.path(), 1).await.unwrap();
    assert_eq!(year(&session, &world, 3, true).await.unwrap(), (1..=13).sum::<u32>());
    assert_eq!(world.0.get(), 13);
}

#[tokio::test]
async fn every_key_is_found_again_where_the_registry_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::default();
    live(dir.path(), 1, &world, 5).await;
    let mut before = keys(dir.path());
    before.sort_unstable();
    for spoil in [
        &|path: &Path| fs::remove_file(path).unwrap(),
        &|path: &Path| fs::write(path, "[\"a").unwrap(),
        &|path: &Path| fs::write(path, "[]").unwrap(),
    ] as [&dyn Fn(&Path); 3]
    {
        spoil(&dir.path().join("idempotency.json"));
        live(dir.path(), 1, &world, 5).await;
        let mut after = keys(dir.path());
        after.sort_unstable();
        assert_eq!(after, before);
    }
    assert_eq!(world.0.get(), 20);
}

/// A script of the seed writes the registry anew, with a key of its own: what it did is asked about, as ever.
#[tokio::test]
async fn a_key_that_a_script_has_reserved_since_is_in_doubt() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::default();
    live(dir.path(), 1, &world, 2).await;
    let mut theirs = keys(dir.path());
    theirs.push("day/2//hour/0".to_owned());
    fs::write(dir.path().join("idempotency.json"), serde_json::to_vec(&theirs).unwrap()).unwrap();
    let session = open(dir.path(), 1).await.unwrap();
    assert!(session.handoff().to_string().contains("`day/2//hour/0`"), "{}", session.handoff());
}

/// What a person or a script has written by hand into the log may be the only trace of what it did.
#[tokio::test]
async fn what_is_not_ours_stays_in_the_log_however_often_it_is_shrunk() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::default();
    let by_hand = r#"{"t": "2026-09-13T08:05:00.000Z", "action": "note", "text": "paid the rent by hand"}"#;
    for day in 1..6 {
        live(dir.path(), 1, &world, 10 * day).await;
        let path = dir.path().join("journal.jsonl");
        if day < 3 {
            writeln!(fs::OpenOptions::new().append(true).open(&path).unwrap(), "{by_hand}").unwrap();
        }
        let text = fs::read_to_string(path).unwrap();
        assert_eq!(text.lines().filter(|line| *line == by_hand).count(), if day < 2 { 1 } else { 2 }, "{text}");
        assert!(text.lines().count() < 30, "{text}");
    }
    assert_eq!(doctor(dir.path()).await.unwrap().findings(), []);
}

#[tokio::test]
async fn without_its_snapshot_or_with_a_damaged_one_a_session_is_refused_and_nothing_is_changed() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::default();
    live(dir.path(), 1, &world, 30).await;
    let path = dir.path().join("snapshot.jsonl");
    let whole = fs::read(&path).unwrap();
    let kept = String::from_utf8(whole.clone()).unwrap().find("\"action\":\"closed\"").unwrap();
    let mut spoilt: Vec<Vec<u8>> = (0..kept).step_by(97).map(|at| flipped(&whole, at)).collect();
    spoilt.extend([0, 1, kept / 2, kept - 40].map(|len| whole[..len].to_vec()));
    // A whole line that is gone, or stands elsewhere.
    let lines: Vec<_> = whole[..kept].split_inclusive(|&byte| byte == b'\n').collect();
    let without = |gone: usize| [&lines[..gone], &lines[gone + 1..]].concat().concat();
    spoilt.extend((0..lines.len() - 2).step_by(9).map(without));
    spoilt.push([&lines[1..2], &lines[..1], &lines[2..]].concat().concat());
    for bytes in spoilt {
        fs::write(&path, bytes).unwrap();
        let before = content(dir.path());
        let error = open(dir.path(), 1).await.unwrap_err();
        assert!(error.is_damaged() && error.to_string().contains("snapshot.jsonl line"), "{error}");
        assert_eq!(content(dir.path()), before);
        let found = doctor(dir.path()).await.unwrap();
        assert!(found.findings().iter().any(|finding| finding.file == "snapshot.jsonl"), "{found}");
    }
    fs::remove_file(&path).unwrap();
    let error = open(dir.path(), 1).await.unwrap_err();
    assert!(error.is_damaged() && error.to_string().contains("snapshot.jsonl is missing"), "{error}");

    fs::write(&path, whole).unwrap();
    live(dir.path(), 1, &world, 30).await;
    assert_eq!(world.0.get(), 120);
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 1;
    bytes
}
