use super::super::testkit::{SESSION, boot, lines, log, note, record, records, reserve};
use super::*;
use crate::core::record::FORMAT;
use crate::store::Damage;

/// Scans without a registry; the records go nowhere.
fn scan(bytes: &[u8], session: Uuid, synced: u64) -> Result<Scan, StoreError> {
    super::scan(no_snapshot(session), Lines::of(bytes), synced, &mut Witnesses::none(), Box::new(|_| {}))
}

fn no_snapshot(session: Uuid) -> Snapshot<'static> {
    Snapshot::new(Lines::new(Box::new(|_| Ok(None))), session)
}

fn scanned(bytes: &[u8]) -> Scan {
    scan(bytes, SESSION, 0).unwrap()
}

/// The damage that the scan names.
fn damaged(bytes: &[u8], synced: u64) -> Damage {
    match scan(bytes, SESSION, synced) {
        Err(StoreError::Damaged(damage)) => damage,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_whole_log_is_read_whole() {
    let bytes = log(&records());
    let reader = |records: &mut dyn Iterator<Item = Record>| assert_eq!(records.count(), 5);
    let scan =
        super::scan(no_snapshot(SESSION), Lines::of(&bytes), 0, &mut Witnesses::none(), Box::new(reader)).unwrap();
    assert_eq!((scan.last(), scan.durable), (5, 4));
    assert_eq!((scan.end, scan.torn), (bytes.len() as u64, None));
    assert!(scan.is_whole());
    let last_line = lines(&records()[4..]).concat();
    assert_eq!(scan.unsynced, Some((bytes.len() - last_line.len()) as u64));
    assert_eq!(scan.tail.last().unwrap(), last_line.trim_end());
}

#[test]
fn a_tail_torn_at_any_byte_of_the_last_record_is_cut_off() {
    let whole = log(&records());
    let stands = log(&records()[..4]).len();
    for len in stands + 1..whole.len() {
        let scan = scanned(&whole[..len]);
        assert_eq!((scan.last(), scan.end), (4, stands as u64), "cut at {len}");
        assert_eq!(scan.torn, Some(Torn { bytes: (len - stands) as u64, line: 5 }), "cut at {len}");
    }
}

#[test]
fn a_tail_that_was_zeroed_from_any_byte_on_is_cut_off() {
    let whole = log(&records());
    let stands = log(&records()[..4]).len();
    for from in stands..whole.len() {
        let mut bytes = whole.clone();
        bytes[from..].fill(0);
        assert_eq!(scanned(&bytes).end, stands as u64, "zeroed from {from}");
    }
}

/// Of a write over two blocks the second alone came to the disk.
#[test]
fn a_tail_whose_beginning_is_zeros_up_to_any_byte_is_cut_off() {
    let whole = log(&records());
    let stands = log(&records()[..4]).len();
    for upto in stands + 1..=whole.len() {
        let mut bytes = whole.clone();
        bytes[stands..upto].fill(0);
        let scan = scanned(&bytes);
        assert_eq!((scan.last(), scan.end), (4, stands as u64), "zeros up to {upto}");
    }
}

#[test]
fn what_follows_a_torn_record_goes_with_it() {
    let mut batch = records();
    let durable = |record: &Record| line::encoded(SESSION, record, 3, None);
    batch.push(record(6, note("survived")));
    let mut lines: Vec<_> = batch.iter().map(durable).collect();
    lines[4] = "\0".repeat(lines[4].len());
    let scan = scanned(lines.concat().as_bytes());
    assert_eq!((scan.last(), scan.torn.unwrap().line), (4, 5));
}

#[test]
fn a_byte_flipped_at_or_before_durable_is_damage() {
    let whole = log(&records());
    let acknowledged = log(&records()[..4]).len();
    for position in 0..acknowledged {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[position] ^= 1 << bit;
            let line = whole[..position].iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
            assert_eq!(damaged(&bytes, 0).line, Some(line), "byte {position} bit {bit}");
        }
    }
}

#[test]
fn the_state_view_extends_what_was_acknowledged() {
    let mut bytes = log(&records());
    let end = bytes.len() - 2;
    bytes[end] ^= 1;
    assert_eq!(scanned(&bytes).torn.unwrap().line, 5);
    let damage = damaged(&bytes, 5);
    assert_eq!((damage.line, damage.key.as_deref()), (Some(5), Some("pay_005")));
}

#[test]
fn damage_names_the_keys_around_a_line_that_says_nothing() {
    let mut lines = lines(&records());
    lines[2] = "\0".repeat(20) + "\n";
    assert_eq!(damaged(lines.concat().as_bytes(), 0).key.as_deref(), Some("between pay_002 and pay_004"));
}

#[test]
fn a_line_that_is_missing_doubled_or_out_of_order_is_damage() {
    let lines = lines(&records());
    let order = |order: &[usize]| order.iter().map(|&index| lines[index].as_str()).collect::<String>();
    for (wrong, line) in [(&[0, 1, 3, 4][..], 3), (&[0, 1, 1, 2, 3, 4], 3), (&[0, 2, 1, 3, 4], 2)] {
        assert_eq!(damaged(order(wrong).as_bytes(), 0).line, Some(line), "{wrong:?}");
    }
}

#[test]
fn a_damaged_first_line_is_not_a_missing_prefix() {
    let mut lines = lines(&records());
    lines[0] = "garbage\n".to_owned();
    assert_eq!(damaged(lines.concat().as_bytes(), 0).line, Some(1));
}

#[test]
fn a_log_of_one_bad_line_is_torn_until_a_record_was_synced() {
    assert_eq!(scanned(b"garbage").torn, Some(Torn { bytes: 7, line: 1 }));
    assert_eq!(damaged(b"garbage", 1).line, Some(1));
}

#[test]
fn lines_of_others_stay_and_are_passed_over() {
    let foreign = "{\"t\": \"2026-09-13T08:05:00Z\", \"action\": \"boot\", \"iteration\": 3}\n";
    let bytes = lines(&records()).join(foreign) + foreign;
    let scan = scanned(bytes.as_bytes());
    assert_eq!((scan.last(), scan.torn, scan.end), (5, None, bytes.len() as u64));
    assert!(scan.is_whole());
    assert!(
        is_foreign(&mut Lines::of(foreign.as_bytes())).unwrap()
            && !is_foreign(&mut Lines::of(bytes.as_bytes())).unwrap()
    );
}

#[test]
fn a_log_without_its_first_or_last_records_is_not_whole() {
    assert!(!scanned(&log(&records()[1..])).is_whole());
    let cut = scan(&log(&records()[..3]), SESSION, 5).unwrap();
    assert_eq!((cut.last(), cut.durable, cut.is_whole()), (3, 5, false));
    assert!(!scan(b"", SESSION, 5).unwrap().is_whole());
    assert!(scan(b"", SESSION, 0).unwrap().is_whole());
}

#[test]
fn a_gap_stands_only_where_a_record_owns_up_to_it() {
    let mut bytes = log(&records()[..2]);
    let boot = record(9, boot(SESSION));
    bytes.extend(line::encoded(SESSION, &boot, 8, Some(2)).bytes());
    let scan = scanned(&bytes);
    assert_eq!((scan.last(), scan.is_whole()), (9, false));
    let mut bytes = log(&records()[..3]);
    bytes.extend(line::encoded(SESSION, &boot, 8, Some(2)).bytes());
    assert_eq!(damaged(&bytes, 0).line, Some(4));
}

#[test]
fn what_a_newer_version_wrote_is_refused_by_name() {
    let newer = |bytes: &[u8]| match scan(bytes, SESSION, 0) {
        Err(StoreError::Newer { place, what }) => format!("{place}: {what}"),
        other => panic!("{other:?}"),
    };
    let mut later = boot(SESSION);
    later.format = FORMAT + 1;
    let text = newer(&log(&[record(1, later)]));
    assert!(text.contains("journal.jsonl line 1") && text.contains(&format!("format {}", FORMAT + 1)), "{text}");
    let unknown = unknown_kind();
    let text = newer(&unknown);
    assert!(text.contains("line 1") && text.contains("`teleport`"), "{text}");
}

/// A line whose checksum holds and whose kind does not exist.
fn unknown_kind() -> Vec<u8> {
    let covered = r#"{"t":"1970-01-01T00:00:00.001Z","action":"teleport","seq":1,"epoch":1,"durable":0"#;
    let crc = crc32c::crc32c_append(crc32c::crc32c(SESSION.as_bytes()), covered.as_bytes());
    format!("{covered},\"crc\":\"{crc:08x}\"}}\n").into_bytes()
}

#[test]
fn the_log_names_its_session_only_by_a_checksum_that_confirms_it() {
    let bytes = log(&records());
    assert_eq!(claimed_session(&mut Lines::of(&bytes)).unwrap(), Some((1, SESSION)));
    let text = String::from_utf8(bytes).unwrap().replace(&SESSION.to_string(), &Uuid::nil().to_string());
    assert_eq!(claimed_session(&mut Lines::of(text.as_bytes())).unwrap(), None);
    assert_eq!(claimed_session(&mut Lines::of(&log(&[record(1, reserve("k"))]))).unwrap(), None);
}
