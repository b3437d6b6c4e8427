use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use super::super::counting::{CountingDisk, Operation};
use super::super::disk::{RealDisk, Replace, replace};
use super::super::layout::{JOURNAL, STATE};
use super::super::lines::CHUNK;
use super::super::testkit::{SESSION, lines, log, note, record, records, state};
use super::*;

struct Session {
    _directory: tempfile::TempDir,
    disk: Arc<RealDisk>,
}

/// A directory with these files.
fn session(files: &[(&str, &[u8])]) -> Session {
    let directory = tempfile::tempdir().unwrap();
    let disk = Arc::new(RealDisk::new(directory.path()));
    for (name, bytes) in files {
        disk.create(name, bytes).unwrap();
    }
    Session { _directory: directory, disk }
}

fn lock() -> Vec<u8> {
    format!("{SESSION}\n").into_bytes()
}

/// The records that are told.
fn told(disk: &dyn Disk) -> Result<Vec<u64>, StoreError> {
    let told: Arc<Mutex<Vec<u64>>> = Arc::default();
    let tell = Arc::clone(&told);
    peek(disk, Box::new(move |records| tell.lock().unwrap().extend(records.map(|record| record.seq))))?;
    let told = told.lock().unwrap();
    Ok(told.clone())
}

fn seen(journal: &[u8]) -> Result<Vec<u64>, StoreError> {
    let session = session(&[(LOCK, &lock()), (JOURNAL, journal)]);
    told(&*session.disk)
}

#[test]
fn what_the_holder_is_writing_at_this_moment_is_not_told_and_nothing_before_it_is_missing() {
    let whole = log(&records());
    let last = lines(&records()).pop().unwrap().len();
    for cut in 1..last {
        assert_eq!(seen(&whole[..whole.len() - cut]).unwrap(), [1, 2, 3, 4]);
    }
    assert_eq!(seen(&whole).unwrap(), [1, 2, 3, 4, 5]);
}

#[test]
fn a_view_that_is_newer_than_the_log_that_was_read_is_no_damage() {
    let view = serde_json::to_vec(&state(70)).unwrap();
    let session = session(&[(LOCK, &lock()), (JOURNAL, &log(&records())), (STATE, &view)]);
    assert_eq!(told(&*session.disk).unwrap(), [1, 2, 3, 4, 5]);
}

#[test]
fn a_damaged_log_says_nothing_and_a_missing_session_is_none() {
    let mut damaged = log(&records());
    damaged[lines(&records())[0].len() + 9] ^= 1;
    assert!(matches!(seen(&damaged), Err(StoreError::Damaged(_))));
    let error = told(&*session(&[]).disk).unwrap_err().to_string();
    assert!(error.contains("there is no session there"), "{error}");
}

/// Behind the first piece that was read there is nothing in a log that was shrunk since: what stood there is not missing.
#[test]
fn a_log_that_is_shrunk_while_it_is_read_is_not_taken_for_its_beginning() {
    let text = "x".repeat(CHUNK / 4);
    let long: Vec<_> = records().into_iter().chain((6..=15).map(|seq| record(seq, note(&text)))).collect();
    let session = session(&[(LOCK, &lock()), (JOURNAL, &log(&long))]);
    let (shrinks, reads) = (Arc::clone(&session.disk), AtomicU32::new(0));
    let disk = CountingDisk::calling(RealDisk::new(session._directory.path()), move |call| {
        let is_second =
            call.file == JOURNAL && call.operation == Operation::Read && reads.fetch_add(1, Ordering::Relaxed) == 1;
        if is_second { replace(&*shrinks, JOURNAL, &log(&records()), Replace::Unsynced) } else { Ok(()) }
    });
    assert!(matches!(told(&disk), Err(StoreError::Damaged(_))));
    assert_eq!(told(&disk).unwrap(), [1, 2, 3, 4, 5]);
}
