//! What a step costs, beside the same bytes written and synced by nobody's library.

use std::path::Path;
use std::time::{Duration, Instant};

use criterion::Criterion;
use durable_benches::{
    Pair, Raw, Times, Work, criterion, is_measured, lines, pay, place, ratio, runtime, session, timed,
};
use durable_runtime::Durability;

const ROOT: &str = env!("CARGO_TARGET_TMPDIR");

/// How many sessions run at the same time.
const SESSIONS: usize = 64;

fn power_safe(criterion: &mut Criterion<Times>) {
    ratio(criterion, "one step after the other, power_safe", 20, || {
        one_after_the_other(if is_measured() { 100 } else { 3 }, Durability::PowerSafe)
    });
}

fn process_safe(criterion: &mut Criterion<Times>) {
    ratio(criterion, "one step after the other, process_safe", 20, || {
        one_after_the_other(if is_measured() { 2_000 } else { 3 }, Durability::ProcessSafe)
    });
}

/// The library keeps all its files; the other appends the bytes of its log, a step's result and the next reservation at once, and
/// syncs them as the library does.
fn one_after_the_other(steps: u64, durability: Durability) -> Pair {
    let (runtime, place) = (runtime(), place(ROOT));
    let ours = runtime.block_on(work(place.path(), steps, durability));
    let writes = writes(place.path());
    let mut log = Raw::new(ROOT);
    let (raw, ()) = timed(|| append(&mut log, &writes, durability));
    Pair { ours, raw }
}

/// Opening and closing the session is not a part of it.
async fn work(place: &Path, steps: u64, durability: Durability) -> Duration {
    let session = session(place, durability).await;
    let begun = Instant::now();
    pay(&session, &Work::of(steps)).await.expect("it ends");
    let took = begun.elapsed();
    session.close().await.expect("it closes");
    took
}

/// The log, in pieces that each end with a reservation.
fn writes(place: &Path) -> Vec<Vec<u8>> {
    let mut writes = vec![Vec::new()];
    for line in lines(place) {
        let is_reservation = line.windows(18).any(|text| text == br#""action":"reserve""#);
        writes.last_mut().expect("there is one").extend(line);
        if is_reservation {
            writes.push(Vec::new());
        }
    }
    writes
}

fn append(log: &mut Raw, writes: &[Vec<u8>], durability: Durability) {
    for bytes in writes {
        log.append(bytes);
        if durability == Durability::PowerSafe {
            log.sync();
        }
    }
}

fn many_sessions(criterion: &mut Criterion<Times>) {
    ratio(criterion, "64 sessions at the same time, power_safe", 10, || {
        at_the_same_time(if is_measured() { 30 } else { 2 })
    });
}

/// The other is as many threads, each with a file of its own.
fn at_the_same_time(steps: u64) -> Pair {
    let (runtime, place) = (runtime(), place(ROOT));
    let dirs: Vec<_> = (0..SESSIONS).map(|n| place.path().join(n.to_string())).collect();
    let ours = runtime.block_on(async {
        let mut sessions = Vec::new();
        for dir in &dirs {
            sessions.push(session(dir, Durability::PowerSafe).await);
        }
        let begun = Instant::now();
        let work = sessions
            .into_iter()
            .map(|session| tokio::spawn(async move { pay(&session, &Work::of(steps)).await.is_ok() }));
        for done in work.collect::<Vec<_>>() {
            assert!(done.await.expect("it does not panic"));
        }
        begun.elapsed()
    });
    let writes: Vec<_> = dirs.iter().map(|dir| writes(dir)).collect();
    let mut logs: Vec<_> = dirs.iter().map(|_| Raw::new(ROOT)).collect();
    let (raw, ()) = timed(|| {
        std::thread::scope(|scope| {
            for (log, writes) in logs.iter_mut().zip(&writes) {
                scope.spawn(|| append(log, writes, Durability::PowerSafe));
            }
        });
    });
    Pair { ours, raw }
}

fn main() {
    let mut criterion = criterion();
    power_safe(&mut criterion);
    process_safe(&mut criterion);
    many_sessions(&mut criterion);
    criterion.final_summary();
}
