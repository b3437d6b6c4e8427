//! What a step costs, counted: syncs and writes, not time.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use durable_runtime::prelude::*;
use durable_runtime::store::files::FilesStore;
use durable_runtime::testing::{CountingDisk, Operation, RealDisk};
use durable_runtime::{Error, Outcome};
use durable_tests::sequence::in_sequence;
use futures_util::future::join_all;

use crate::payments::Directory;

type Disk = CountingDisk<RealDisk>;

/// A whole life of a fresh session, from boot to close, on a disk that counts.
async fn life<T>(work: impl AsyncFnOnce(&Session, &Disk) -> Result<T, Error>) -> Disk {
    let directory = Directory::missing();
    let disk = CountingDisk::new(RealDisk::new(directory.path()));
    let session = directory.session().goal("count").store(FilesStore::with_disk(Arc::new(disk.clone())));
    let outcome = session.run(async |session| work(session, &disk).await).await;
    assert_eq!(outcome, Outcome::Finished);
    disk
}

fn syncs(disk: &Disk) -> u64 {
    disk.count(Operation::Sync, "journal.jsonl")
}

#[tokio::test(start_paused = true)]
async fn a_thousand_steps_cost_a_thousand_and_one_syncs() {
    let disk = life(async |session, _| in_sequence(session, 1_000).await).await;
    assert_eq!(syncs(&disk), 1_001);
    // What a session costs once, however many steps it takes.
    assert_eq!(disk.count(Operation::SyncParent, "."), 1, "the new directory's name");
    assert_eq!(disk.count(Operation::Sync, "session.lock"), 1, "the session's id");
    assert_eq!(disk.count(Operation::SyncDir, "."), 2, "the names of lock and journal");
    assert_eq!(disk.count(Operation::Sync, "idempotency.json.tmp"), 2, "the registry each time that it grows");
    let views = ["state.json", "state.json.tmp", "handoff.md", "handoff.md.tmp", "idempotency.json"];
    assert!(views.iter().all(|view| disk.count(Operation::Sync, view) == 0), "a view is never synced");
}

#[tokio::test(start_paused = true)]
async fn a_step_costs_two_appends_a_registry_write_and_a_handoff_write() {
    let disk = life(async |session, _| in_sequence(session, 1_000).await).await;
    // Boot and checkpoint; the run; each reservation and each result; the end; its mark; dormant.
    assert_eq!(disk.count(Operation::Append, "journal.jsonl"), 1 + 1 + 2 * 1_000 + 1 + 1 + 1);
    let (in_place, anew) = (Operation::WriteAt, Operation::Rename);
    let registry = |operation| disk.count(operation, "idempotency.json");
    // Made once empty; then it has room for all but the key with which it grows.
    assert_eq!((registry(in_place), registry(anew)), (1_000 - 2, 1 + 2));
    // At the boot, at the end and at the close it is exact.
    assert_eq!((disk.count(in_place, "handoff.md"), disk.count(anew, "handoff.md")), (1_000, 3));
    assert_eq!((disk.count(in_place, "state.json"), disk.count(anew, "state.json")), (0, 3));
}

#[tokio::test(start_paused = true)]
async fn reads_cost_no_sync() {
    #[durable_workflow]
    async fn reading(session: &Session) -> Result<u64, Error> {
        let mut sum = 0;
        for n in 0..100_u32 {
            #[read(key = "read/{n}")]
            let value = u64::from(n).pow(2);
            sum += value;
        }
        Ok(sum)
    }
    let disk = life(async |session, disk| {
        let sum = reading(session).await?;
        assert_eq!((sum, syncs(disk)), (328_350, 1), "the end of the run alone is synced");
        Ok(sum)
    })
    .await;
    assert_eq!(syncs(&disk), 1);
    assert_eq!(disk.count(Operation::Append, "journal.jsonl"), 1 + 1 + 100 + 1 + 1 + 1);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_nobody_could_verify_is_synced_before_it_is_given() {
    #[durable_workflow]
    async fn asking(session: &Session, #[resource] disk: &Disk) -> Result<(), Error> {
        for n in 0..10_u32 {
            #[side_effect(key = "ask/{n}", in_doubt = "treasury")]
            let during = Ok::<_, Error>(syncs(disk))?;
            assert_eq!(during, u64::from(2 * n + 1), "the reservation is synced before the effect");
            assert_eq!(syncs(disk), u64::from(2 * n + 2), "the result is synced before it is given");
        }
        Ok(())
    }
    let disk = life(async |session, disk| asking(session, disk).await).await;
    assert_eq!(syncs(&disk), 2 * 10 + 1);
}

#[tokio::test(start_paused = true)]
async fn steps_that_run_at_the_same_time_share_their_syncs() {
    #[durable_workflow]
    async fn together(session: &Session, #[resource] disk: &Disk) -> Result<u64, Error> {
        let step = async |n: u32| {
            #[side_effect(key = "step/{n}", verify = Some(n))]
            let taken = Ok::<_, Error>(n)?;
            Ok::<_, Error>(taken)
        };
        let taken: Result<Vec<_>, _> = join_all((0..64).map(step)).await.into_iter().collect();
        assert_eq!(taken?, (0..64).collect::<Vec<_>>());
        Ok(syncs(disk))
    }
    let disk = life(async |session, disk| {
        let shared = together(session, disk).await?;
        assert!(64 / shared >= 16, "64 steps took {shared} syncs");
        Ok(shared)
    })
    .await;
    assert_eq!(disk.count(Operation::WriteAt, "idempotency.json"), 64);
}

/// How often each file was synced, by system call, as the kernel saw it.
struct Traced(String);

impl Traced {
    fn count(&self, call: &str, file: &Path) -> usize {
        let (call, file) = (format!("{call}("), format!("<{}>", file.display()));
        self.0.lines().filter(|line| line.contains(&call) && line.contains(&file)).count()
    }

    /// All calls that were seen; one that was interrupted has a second line without a bracket that opens.
    fn all(&self) -> usize {
        self.0.lines().filter(|line| line.contains('(')).count()
    }
}

/// Runs the steps in a process of their own under `strace`; why not, if that cannot be done here.
fn traced(session: &Path, steps: u32) -> Result<Traced, String> {
    let log = session.with_file_name("strace.log");
    let strace = || {
        let mut strace = Command::new("strace");
        strace
            .args(["-f", "-y", "-s", "4096", "-e", "trace=fsync,fdatasync,sync,syncfs,sync_file_range,msync", "-o"])
            .arg(&log);
        strace
    };
    let able = strace().arg("true").output().map_err(|_| "no strace".to_owned())?;
    if !able.status.success() {
        return Err(format!("strace cannot trace: {}", String::from_utf8_lossy(&able.stderr)));
    }
    let ran = strace().arg(env!("CARGO_BIN_EXE_steps")).arg(session).arg(steps.to_string()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Ok(Traced(std::fs::read_to_string(log).unwrap()))
}

#[test]
fn the_kernel_sees_a_thousand_and_one_syncs_for_a_thousand_steps() {
    let directory = Directory::missing();
    let session = directory.path();
    let traced = match traced(&session, 1_000) {
        Ok(traced) => traced,
        // Past the test harness, which keeps to itself what a test prints that passes.
        Err(why) => return writeln!(std::io::stderr(), "\nnot measured here: {why}\n").unwrap(),
    };
    let once = [
        ("fdatasync", session.join("journal.jsonl"), 1_001),
        ("fdatasync", session.join("session.lock"), 1),
        ("fdatasync", session.join("idempotency.json.tmp"), 2),
        ("fsync", session.clone(), 2),
        ("fsync", session.parent().unwrap().to_owned(), 1),
    ];
    for (call, file, wanted) in &once {
        assert_eq!(traced.count(call, file), *wanted, "{call} of {}", file.display());
    }
    assert_eq!(traced.all(), once.iter().map(|(_, _, wanted)| wanted).sum::<usize>(), "{}", traced.0);
}
