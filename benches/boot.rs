//! What a boot costs, beside one pass over the same bytes; and what replaying costs, beside reading the results from the disk.

use std::fs::{self, File};
use std::hint::black_box;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use criterion::Criterion;
use durable_benches::{Pair, Times, Work, criterion, is_measured, lines, pay, place, ratio, runtime, session, timed};
use durable_runtime::Durability;
use tempfile::TempDir;
use tokio::runtime::Runtime;

const ROOT: &str = env!("CARGO_TARGET_TMPDIR");

fn steps() -> u64 {
    if is_measured() { 100_000 } else { 50 }
}

/// A session in which this was done.
fn worked(runtime: &Runtime, work: &Work) -> TempDir {
    let place = place(ROOT);
    runtime.block_on(async {
        let session = session(place.path(), Durability::ProcessSafe).await;
        pay(&session, work).await.ok();
        session.close().await.expect("it closes");
    });
    place
}

fn boot(runtime: &Runtime, place: &Path) -> std::time::Duration {
    let (took, session) = timed(|| runtime.block_on(session(place, Durability::ProcessSafe)));
    runtime.block_on(session.close()).expect("it closes");
    took
}

fn of_open_steps(criterion: &mut Criterion<Times>) {
    let runtime = runtime();
    let place = worked(&runtime, &Work::without_end(steps()));
    ratio(criterion, "boot of 100000 open steps, to one pass that checks each line", 10, || {
        let (raw, ()) = timed(|| pass(&place.path().join("journal.jsonl")));
        Pair { ours: boot(&runtime, place.path()), raw }
    });
    let memory = memory();
    let session = runtime.block_on(session(place.path(), Durability::ProcessSafe));
    let more = self::memory().saturating_sub(memory);
    println!("memory of a session of {} open steps: {more} KiB more", steps());
    runtime.block_on(session.close()).expect("it closes");
}

/// Reads the log and checks each line.
fn pass(log: &Path) {
    let bytes = fs::read(log).expect("a log");
    let mut begin = 0;
    for end in memchr::memchr_iter(b'\n', &bytes) {
        let line = &bytes[begin..end];
        black_box(crc32c::crc32c(&line[..line.len().saturating_sub(17)]));
        begin = end + 1;
    }
}

/// What of it the process holds, in KiB.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn of_finished_steps(criterion: &mut Criterion<Times>) {
    let runtime = runtime();
    let (finished, empty) = (worked(&runtime, &Work::of(steps())), worked(&runtime, &Work::of(0)));
    ratio(criterion, "boot of 100000 finished steps, to an empty session", 10, || {
        let raw = boot(&runtime, empty.path());
        Pair { ours: boot(&runtime, finished.path()), raw }
    });
}

fn replay(criterion: &mut Criterion<Times>) {
    let runtime = runtime();
    let place = worked(&runtime, &Work::without_end(steps()));
    let work = Work::without_end(steps());
    let results = results(place.path());
    let log = File::open(place.path().join("journal.jsonl")).expect("a log");
    ratio(criterion, "replay of a done step, to reading and decoding its result", 10, || {
        let (raw, ()) = timed(|| results.iter().for_each(|&(at, len)| decode(&log, at, len)));
        let session = runtime.block_on(session(place.path(), Durability::ProcessSafe));
        let (ours, _) = timed(|| runtime.block_on(pay(&session, &work)));
        runtime.block_on(session.close()).expect("it closes");
        Pair { ours, raw }
    });
}

/// Where each result stands.
fn results(place: &Path) -> Vec<(u64, usize)> {
    let mut at = 0;
    let mut results = Vec::new();
    for line in lines(place) {
        if line.windows(15).any(|text| text == br#""action":"done""#) {
            results.push((at, line.len()));
        }
        at += line.len() as u64;
    }
    results
}

fn decode(log: &File, at: u64, len: usize) {
    let mut line = vec![0; len];
    log.read_exact_at(&mut line, at).expect("it can be read");
    let record: serde_json::Value = serde_json::from_slice(&line).expect("it is a record");
    black_box(record["value"].as_u64());
}

/// The last steps of a long run, to the first ones of the same.
fn growth(criterion: &mut Criterion<Times>) {
    let runtime = runtime();
    ratio(criterion, "the last 1000 of 100000 steps, to the first 1000", 10, || {
        let work = Work::without_end(steps());
        worked(&runtime, &work);
        let begun = work.begun();
        let few = begun.len().min(1_000) - 1;
        let between = |from: usize| begun[from + few] - begun[from];
        Pair { ours: between(begun.len() - 1 - few), raw: between(0) }
    });
}

fn main() {
    let mut criterion = criterion();
    of_open_steps(&mut criterion);
    of_finished_steps(&mut criterion);
    replay(&mut criterion);
    growth(&mut criterion);
    criterion.final_summary();
}
