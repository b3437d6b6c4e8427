use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use super::super::counting::{CountingDisk, Operation};
use super::super::disk::{RealDisk, Replace, replace};
use super::super::layout::{JOURNAL, REGISTRY, STATE};
use super::super::lines::CHUNK;
use super::super::testkit::{SESSION, boot, lines, log, note, record, records, reserve, state};
use super::*;
use crate::core::record::Boot;

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
fn what_its_holder_writes_while_it_is_read_is_no_damage() {
    let view = |synced| serde_json::to_vec(&state(synced)).unwrap();
    let long: Vec<_> = records().into_iter().chain([record(6, reserve("pay_006"))]).collect();
    let journal = log(&records());
    let files = [(LOCK, &lock()[..]), (STATE, &view(4)), (REGISTRY, b"[]"), (JOURNAL, &journal)];
    for moment in [STATE, REGISTRY, JOURNAL] {
        let session = session(&files);
        let (holder, has_written) = (Arc::clone(&session.disk), AtomicU32::new(0));
        let last = lines(&long).pop().unwrap();
        let (newer, end) = (view(6), journal.len() as u64);
        let disk = CountingDisk::calling(RealDisk::new(session._directory.path()), move |call| {
            if call.file == moment
                && call.operation == Operation::Read
                && has_written.fetch_add(1, Ordering::Relaxed) == 0
            {
                holder.write_at(JOURNAL, end, last.as_bytes())?;
                replace(&*holder, REGISTRY, br#"["pay_006"]"#, Replace::Unsynced)?;
                replace(&*holder, STATE, &newer, Replace::Unsynced)?;
            }
            Ok(())
        });
        let told = told(&disk).unwrap();
        assert!([&[1, 2, 3, 4, 5][..], &[1, 2, 3, 4, 5, 6]].contains(&&told[..]), "{moment}: {told:?}");
    }
}

#[test]
fn what_no_start_would_open_is_not_read() {
    let refused = |why: &str, files: &[(&str, &[u8])]| {
        let error = told(&*session(files).disk).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    };
    let (lock, log, far) = (lock(), log(&records()), serde_json::to_vec(&state(70)).unwrap());
    refused("it is missing, and journal.jsonl ends", &[(LOCK, &lock), (JOURNAL, &log), (STATE, &far)]);
    refused("it has format 2", &[(LOCK, &lock), (JOURNAL, &log), (STATE, br#"{"durable":{"format":2}}"#)]);
    refused("it belongs to session", &[(LOCK, b"00000000-0000-4000-8000-000000000000\n"), (JOURNAL, &log)]);
    refused("session.lock is missing there, which the next start writes again", &[(JOURNAL, &log)]);
}

#[test]
fn a_session_that_was_moved_is_not_read() {
    let place = Some("1@1/2@2".to_owned());
    let boot = Boot { place, ..boot(SESSION) };
    let session = session(&[(LOCK, &lock()), (JOURNAL, &log(&[record(1, boot)]))]);
    assert!(matches!(told(&*session.disk), Err(StoreError::Moved { .. })));
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

/// A session that is looked on, and its files.
fn looked(journal: &[u8]) -> (Session, Seen) {
    let session = session(&[(LOCK, &lock()), (JOURNAL, journal)]);
    let seen = look(&*session.disk, Box::new(|records| records.for_each(drop))).unwrap();
    (session, seen)
}

/// What is told next, by its numbers.
fn told_next(session: &Session, seen: &mut Seen) -> Option<Vec<u64>> {
    let records = look_on(&*session.disk, seen).unwrap()?;
    Some(records.iter().map(|record| record.seq).collect())
}

#[test]
fn whoever_looks_on_is_told_each_new_record_once_and_none_before_its_end_is_written() {
    let (session, mut seen) = looked(&log(&records()));
    assert!(told_next(&session, &mut seen).unwrap().is_empty());
    let new = lines(&[record(6, reserve("pay_006")), record(7, reserve("pay_007"))]).concat();
    for byte in new.as_bytes() {
        session.disk.append(JOURNAL, &[*byte]).unwrap();
        let told = told_next(&session, &mut seen).unwrap();
        assert_eq!(told.len(), usize::from(*byte == b'\n'), "{told:?}");
    }
    session.disk.append(JOURNAL, b"{\"t\":\"2026\",\"action\":\"of a script\"}\n").unwrap();
    session.disk.append(JOURNAL, lines(&[record(8, reserve("pay_008"))])[0].as_bytes()).unwrap();
    assert_eq!(told_next(&session, &mut seen).unwrap(), [8]);
    assert!(told_next(&session, &mut seen).unwrap().is_empty());
}

#[test]
fn a_torn_tail_that_is_cut_off_and_written_over_is_not_told() {
    let whole = log(&records());
    let (session, mut seen) = looked(&whole);
    session.disk.append(JOURNAL, b"{\"t\":\"torn").unwrap();
    assert!(told_next(&session, &mut seen).unwrap().is_empty());
    session.disk.truncate(JOURNAL, whole.len() as u64).unwrap();
    session.disk.append(JOURNAL, lines(&[record(6, reserve("pay_006"))])[0].as_bytes()).unwrap();
    assert_eq!(told_next(&session, &mut seen).unwrap(), [6]);
}

#[test]
fn where_a_log_is_another_shorter_or_not_as_it_must_be_all_is_to_be_read_again() {
    let of = |change: &dyn Fn(&RealDisk)| {
        let (session, mut seen) = looked(&log(&records()));
        change(&session.disk);
        told_next(&session, &mut seen)
    };
    let all = log(&records());
    assert_eq!(of(&|disk| replace(disk, JOURNAL, &all, Replace::Unsynced).unwrap()), None);
    assert_eq!(of(&|disk| disk.truncate(JOURNAL, 9).unwrap()), None);
    assert_eq!(of(&|disk| disk.remove(JOURNAL).unwrap()), None);
    assert_eq!(of(&|disk| disk.append(JOURNAL, b"not a record\n").unwrap()), None);
    let gap = lines(&[record(7, reserve("pay_007"))]).concat();
    assert_eq!(of(&|disk| disk.append(JOURNAL, gap.as_bytes()).unwrap()), None);
}

#[test]
fn a_session_that_was_moved_is_looked_at_and_says_so() {
    let place = Some("1@1/2@2".to_owned());
    let boot = Boot { place, ..boot(SESSION) };
    let session = session(&[(LOCK, &lock()), (JOURNAL, &log(&[record(1, boot)]))]);
    let seen = look(&*session.disk, Box::new(|records| records.for_each(drop))).unwrap();
    assert!(seen.moved.unwrap().starts_with("session.lock was 1@1"));
}
