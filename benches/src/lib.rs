//! Ratios. A disk is never as fast as it was a minute ago, so nothing is timed alone: each sample runs the library and what
//! it is compared with, one behind the other, and what is reported is how many times as long the library took.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use criterion::measurement::{Measurement, ValueFormatter};
use criterion::{Criterion, SamplingMode, Throughput};
use durable_runtime::Durability;
use durable_runtime::prelude::*;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// How long two things took, the library's and the one that it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The library's.
    pub ours: Duration,
    /// The other's.
    pub raw: Duration,
}

/// Ratios instead of times.
#[derive(Debug)]
pub struct Times;

impl Measurement for Times {
    type Intermediate = ();
    type Value = f64;

    fn start(&self) {}

    fn end(&self, (): ()) -> f64 {
        0.0
    }

    fn add(&self, one: &f64, other: &f64) -> f64 {
        one + other
    }

    fn zero(&self) -> f64 {
        0.0
    }

    fn to_f64(&self, value: &f64) -> f64 {
        *value
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        self
    }
}

impl ValueFormatter for Times {
    fn scale_values(&self, _: f64, _: &mut [f64]) -> &'static str {
        "times"
    }

    fn scale_throughputs(&self, _: f64, _: &Throughput, _: &mut [f64]) -> &'static str {
        "times"
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "times"
    }
}

/// Whether this is a benchmark, and not a trial that the programs still run.
pub fn is_measured() -> bool {
    std::env::args().any(|arg| arg == "--bench")
}

/// The settings of all benchmarks.
pub fn criterion() -> Criterion<Times> {
    Criterion::default().with_measurement(Times).warm_up_time(Duration::from_millis(500)).configure_from_args()
}

/// Reports how many times as long the library took. `measure` is called for each sample.
pub fn ratio(criterion: &mut Criterion<Times>, name: &str, samples: usize, mut measure: impl FnMut() -> Pair) {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).sample_size(samples).measurement_time(Duration::from_secs(1));
    let mut shortest = Pair { ours: Duration::MAX, raw: Duration::MAX };
    group.bench_function("ratio", |bencher| {
        bencher.iter_custom(|rounds| {
            (0..rounds)
                .map(|_| {
                    let pair = measure();
                    shortest = Pair { ours: pair.ours.min(shortest.ours), raw: pair.raw.min(shortest.raw) };
                    pair.ours.as_secs_f64() / pair.raw.as_secs_f64()
                })
                .sum()
        });
    });
    group.finish();
    println!("{name}: the shortest of the library {:?}, of the other {:?}", shortest.ours, shortest.raw);
}

/// How long something takes.
pub fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let result = work();
    (begun.elapsed(), result)
}

/// Runs workflows, as an ordinary program does.
pub fn runtime() -> Runtime {
    Runtime::new().expect("a runtime")
}

/// The error of a workflow that stops.
pub type Stop = Box<dyn std::error::Error + Send + Sync>;

/// What the workflow is to do, and when it did it.
#[derive(Debug, Default)]
pub struct Work {
    steps: u64,
    ends: bool,
    begun: Mutex<Vec<Instant>>,
}

impl Work {
    /// So many steps, and then it ends.
    pub fn of(steps: u64) -> Self {
        Self { steps, ends: true, ..Self::default() }
    }

    /// So many steps, and then an error: they all stay in the log.
    pub fn without_end(steps: u64) -> Self {
        Self { steps, ..Self::default() }
    }

    /// When each effect was begun.
    pub fn begun(self) -> Vec<Instant> {
        self.begun.into_inner().expect("nobody has panicked")
    }

    /// An effect that takes no time.
    async fn invoice(&self, n: u64) -> Result<u64, Stop> {
        self.begun.lock().map_err(|_| "nobody has panicked")?.push(Instant::now());
        Ok(n)
    }
}

/// Steps one behind the other.
///
/// # Errors
///
/// Fails if the store does, and where it is not to end.
#[durable_workflow(goal = "pay all invoices")]
pub async fn pay(session: &Session, #[resource] work: &Work) -> Result<u64, Stop> {
    let mut sum = 0;
    for n in 0..work.steps {
        #[side_effect(key = "pay/{n}", title = "pay invoice {n}", verify = Some(n))]
        let paid = work.invoice(n).await?;
        sum += paid;
    }
    if work.ends { Ok(sum) } else { Err("stopped".into()) }
}

/// A new session in a directory of its own.
pub async fn session(place: &Path, durability: Durability) -> Session {
    Session::builder(place).durability(durability).open().await.expect("it opens")
}

/// The lines of the log, each with its line feed.
pub fn lines(place: &Path) -> Vec<Vec<u8>> {
    let log = fs::read(place.join("journal.jsonl")).expect("a log");
    log.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// The same bytes appended to a file of its own, and synced where the library has synced.
pub struct Raw {
    file: File,
    _place: TempDir,
}

impl Raw {
    /// An empty file beside the session.
    pub fn new(root: &str) -> Self {
        let place = place(root);
        let file = File::options().append(true).create_new(true).open(place.path().join("log")).expect("a file");
        file.sync_all().expect("it can be synced");
        Self { file, _place: place }
    }

    /// One write.
    pub fn append(&mut self, bytes: &[u8]) {
        self.file.write_all(bytes).expect("it can be written");
    }

    /// What was written is durable.
    pub fn sync(&mut self) {
        self.file.sync_data().expect("it can be synced");
    }
}

/// An empty directory in this one.
pub fn place(root: &str) -> TempDir {
    tempfile::tempdir_in(root).expect("a directory")
}
