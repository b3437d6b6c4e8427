use std::collections::BTreeSet;

use super::super::testkit::{SESSION, log, record, records, state};
use super::*;
use crate::core::record::{Event, Lost, Record};

/// All files of a session.
#[derive(Clone, Debug, Default)]
struct Files {
    lock: Option<Vec<u8>>,
    journal: Option<Vec<u8>>,
    registry: Option<Vec<u8>>,
    state: Option<Vec<u8>>,
    handoff: Option<Vec<u8>>,
}

fn recover(files: &Files, new_id: impl FnOnce() -> Uuid) -> Result<Recovered, StoreError> {
    recover_and_read(files, new_id, Box::new(|_| {}))
}

fn recover_and_read(files: &Files, new_id: impl FnOnce() -> Uuid, reader: Reader) -> Result<Recovered, StoreError> {
    let journal = files.journal.as_deref().unwrap_or_default();
    let Files { lock, state, handoff, .. } = files.clone();
    let is_there = files.journal.is_some();
    let registry = Listing::of(files.registry.as_deref());
    let files = super::Files { lock, state, handoff };
    let mut bytes = super::super::lines::source(journal);
    let lines = Lines::new(Box::new(move |offset| if is_there { bytes(offset) } else { Ok(None) }));
    let snapshot = Lines::new(Box::new(|_| Ok(None)));
    super::recover(&files, Sources { snapshot, journal: lines, registry }, new_id, reader)
}

/// A session with boot, four reservations and all its witnesses.
fn session() -> Files {
    Files {
        lock: Some(format!("{SESSION}\n").into_bytes()),
        journal: Some(log(&records())),
        registry: Some(br#"["pay_002","pay_003","pay_004","pay_005"]"#.to_vec()),
        state: Some(serde_json::to_vec(&state(4)).unwrap()),
        handoff: None,
    }
}

/// The bytes of each file.
fn each(files: &mut Files) -> [&mut Vec<u8>; 4] {
    [&mut files.lock, &mut files.journal, &mut files.registry, &mut files.state].map(|file| file.as_mut().unwrap())
}

fn damaged(files: &Files) -> Damage {
    match recover(files, Uuid::new_v4) {
        Err(StoreError::Damaged(damage)) => damage,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_empty_directory_is_a_first_session() {
    let recovered = recover(&Files::default(), Uuid::new_v4).unwrap();
    assert!(recovered.session.unwritten && recovered.scan.is_whole());
    assert!(!recovered.has_registry());
}

#[test]
fn a_creation_that_was_killed_anywhere_is_a_first_session() {
    let lock = session().lock;
    let stages = [
        Files { lock: Some(Vec::new()), ..Files::default() },
        Files { lock: Some(vec![0; 37]), ..Files::default() },
        Files { lock: lock.clone(), ..Files::default() },
        Files { lock: lock.clone(), journal: Some(Vec::new()), ..Files::default() },
        Files { lock: lock.clone(), journal: Some(Vec::new()), registry: Some(Vec::new()), ..Files::default() },
        Files { lock, journal: Some(vec![0; 80]), registry: Some(vec![0; 4096]), ..Files::default() },
    ];
    for files in stages {
        let recovered = recover(&files, Uuid::new_v4).unwrap();
        assert!(recovered.scan.first().is_none() && recovered.scan.is_whole(), "{files:?}");
    }
}

#[test]
fn the_log_of_another_program_is_not_taken_over_and_that_of_the_script_is() {
    let script = "\n{\"t\": \"2026-09-13T08:05:00Z\", \"action\": \"boot\"}\n";
    let log = |text: String| Files { journal: Some(text.into_bytes()), ..Files::default() };
    assert!(recover(&log(script.to_owned()), Uuid::new_v4).unwrap().session.unwritten);
    for strange in ["{\"level\":\"info\",\"msg\":\"up\"}\n", "{\"t\":1,\"action\":\"boot\"}\n", "{}\n"] {
        let damage = damaged(&log(script.to_owned() + strange));
        assert_eq!((damage.file.as_str(), damage.line), (JOURNAL, Some(3)), "{damage}");
        assert!(damage.to_string().contains("give the session a directory of its own"), "{damage}");
        // Beside what is certainly a session's, it is kept like any line of others.
        assert!(recover(&Files { lock: session().lock, ..log(strange.to_owned()) }, Uuid::new_v4).is_ok());
    }
}

#[test]
fn a_session_agrees_with_itself() {
    let recovered = recover(&session(), Uuid::new_v4).unwrap();
    assert_eq!(recovered.session, SessionId { id: SESSION, unwritten: false });
    assert_eq!((recovered.scan.last(), recovered.unwitnessed.len()), (5, 0));
}

#[test]
fn a_lost_lock_file_is_restored_from_the_log_or_the_state() {
    for files in [
        Files { lock: None, state: None, ..session() },
        Files { lock: None, journal: None, ..session() },
        Files { lock: Some(Vec::new()), ..session() },
    ] {
        assert_eq!(recover(&files, Uuid::new_v4).unwrap().session, SessionId { id: SESSION, unwritten: true });
    }
}

#[test]
fn a_log_or_state_of_another_session_is_refused() {
    let lock = Some(format!("{}\n", Uuid::from_u128(9)).into_bytes());
    assert_eq!(damaged(&Files { lock: lock.clone(), ..session() }).file, JOURNAL);
    assert_eq!(damaged(&Files { lock, journal: None, ..session() }).file, STATE);
}

#[test]
fn keys_or_records_without_any_session_id_are_refused() {
    let registry = Files { registry: session().registry, ..Files::default() };
    assert_eq!((damaged(&registry).file.as_str(), damaged(&registry).key.as_deref()), (REGISTRY, Some("pay_002")));
    let torn = Files { registry: Some(b"[\"pay_0".to_vec()), ..Files::default() };
    assert_eq!(damaged(&torn).file, REGISTRY);
    let log = Files { journal: Some(log(&records()[1..])), ..Files::default() };
    assert_eq!(damaged(&log).file, JOURNAL);
}

#[test]
fn lines_of_a_script_alone_are_no_session_yet() {
    let files = Files { journal: Some(b"{\"t\": \"x\", \"action\": \"boot\"}\n".to_vec()), ..Files::default() };
    let recovered = recover(&files, Uuid::new_v4).unwrap();
    assert!(recovered.session.unwritten && recovered.scan.torn.is_none());
    assert_eq!(recovered.scan.end, files.journal.unwrap().len() as u64);
}

#[test]
fn a_deleted_log_is_lost_while_the_registry_stands() {
    for journal in [None, Some(Vec::new()), Some(log(&records()[..3]))] {
        let recovered = recover(&Files { journal, ..session() }, Uuid::new_v4).unwrap();
        assert_eq!((recovered.scan.durable, recovered.scan.is_whole()), (4, false));
        let logged = recovered.scan.last().saturating_sub(1);
        assert_eq!(recovered.unlogged.len() as u64 + logged, 4);
    }
}

#[test]
fn a_lost_log_without_a_registry_is_refused() {
    for registry in [None, Some(b"[\"pay_".to_vec()), Some(Vec::new())] {
        for journal in [None, Some(Vec::new()), Some(log(&records()[..3])), Some(log(&records()[1..]))] {
            assert_eq!(damaged(&Files { journal, registry: registry.clone(), ..session() }).file, REGISTRY);
        }
    }
    let torn = Some(b"[\"pay_".to_vec());
    assert_eq!(damaged(&Files { journal: None, state: None, registry: torn, ..session() }).file, REGISTRY);
}

#[test]
fn a_deleted_log_takes_with_it_what_the_state_does_not_know_to_be_synced() {
    let mut view = state(0);
    view.durable.seq = 3;
    let files = Files { journal: None, state: Some(serde_json::to_vec(&view).unwrap()), ..session() };
    assert!(!recover(&files, Uuid::new_v4).unwrap().scan.is_whole());
    assert_eq!(damaged(&Files { registry: None, ..files }).file, REGISTRY);
}

#[test]
fn a_trimmed_log_needs_a_registry_that_knows_its_keys() {
    let trimmed = Files { journal: Some(log(&records()[2..])), ..session() };
    assert!(!recover(&trimmed, Uuid::new_v4).unwrap().scan.is_whole());
    let older = Some(br#"["pay_002","pay_004"]"#.to_vec());
    assert_eq!(damaged(&Files { registry: older, ..trimmed.clone() }).key.as_deref(), Some("pay_003"));
    // The key of the last reservation may have been on its way.
    let killed = Some(br#"["pay_002","pay_003","pay_004"]"#.to_vec());
    let recovered = recover(&Files { registry: killed, ..trimmed }, Uuid::new_v4).unwrap();
    assert_eq!(recovered.unwitnessed, ["pay_005"]);
}

#[test]
fn a_registry_is_rebuilt_from_a_whole_log() {
    let all = ["pay_002", "pay_003", "pay_004", "pay_005"];
    for registry in [None, Some(Vec::new()), Some(b"[\"pay".to_vec())] {
        let recovered = recover(&Files { registry, ..session() }, Uuid::new_v4).unwrap();
        assert_eq!((recovered.has_registry(), recovered.unwitnessed), (false, all.map(String::from).to_vec()));
    }
}

#[test]
fn keys_that_were_lost_once_are_rebuilt_too() {
    let mut records = records();
    records.push(record(6, Lost { keys: vec!["old".to_owned(), "pay_002".to_owned()], adopted: false }));
    let files = Files { journal: Some(log(&records)), registry: None, ..session() };
    let recovered = recover(&files, Uuid::new_v4).unwrap();
    assert_eq!(recovered.unwitnessed, ["pay_002", "pay_003", "pay_004", "pay_005", "old"]);
}

#[test]
fn a_state_view_that_cannot_be_read_decides_nothing() {
    for state in [None, Some(Vec::new()), Some(b"{".to_vec()), Some(b"{\"identity\": \"agent\"}".to_vec())] {
        assert_eq!(recover(&Files { state, ..session() }, Uuid::new_v4).unwrap().scan.last(), 5);
    }
}

#[test]
fn a_state_view_of_a_newer_format_is_refused() {
    let state = Some(br#"{"durable": {"format": 99, "unheard": true}}"#.to_vec());
    let error = recover(&Files { state, ..session() }, Uuid::new_v4).unwrap_err();
    assert!(matches!(&error, StoreError::Newer { place, what } if place == STATE && what.contains("99")), "{error}");
}

#[test]
fn a_flipped_bit_in_any_file_loses_no_reservation() {
    let whole = session();
    let all = reserved(&whole).unwrap();
    for file in 0..4 {
        let len = each(&mut whole.clone())[file].len();
        for position in 0..len {
            let mut flipped = whole.clone();
            each(&mut flipped)[file][position] ^= 1;
            if let Ok(reserved) = reserved(&flipped) {
                assert!(reserved.is_superset(&all), "file {file} byte {position}");
            }
        }
    }
}

/// Every key that the log or the registry says was reserved.
fn reserved(files: &Files) -> Result<BTreeSet<String>, StoreError> {
    let (send, logged) = std::sync::mpsc::channel();
    let key =
        |record: Record| if let Event::Reserve(reserve) = record.event { Some(reserve.key.to_string()) } else { None };
    let reader = move |records: &mut dyn Iterator<Item = Record>| {
        records.filter_map(key).for_each(|key| send.send(key).unwrap());
    };
    let recovered = recover_and_read(files, Uuid::new_v4, Box::new(reader))?;
    Ok(logged.iter().chain(recovered.unlogged).collect())
}
