use super::super::disk::RealDisk;
use super::super::testkit::{SESSION, lines, log, records, state};
use super::*;

struct Patient {
    disk: Arc<RealDisk>,
    _directory: tempfile::TempDir,
}

impl Patient {
    /// A session that is in order, and then with another log.
    fn with(journal: &[u8]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let disk = Arc::new(RealDisk::new(directory.path().join("session")));
        disk.create_dir().unwrap();
        let state = serde_json::to_vec(&state(4)).unwrap();
        let registry = br#"["pay_002","pay_003","pay_004","pay_005"]"#;
        for (name, bytes) in [
            (LOCK, format!("{SESSION}\n").as_bytes()),
            (JOURNAL, journal),
            (REGISTRY, registry),
            (STATE, &state),
            (HANDOFF, b"# Handoff\n"),
        ] {
            disk.create(name, bytes).unwrap();
        }
        Self { disk, _directory: directory }
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        if if_exists(self.disk.identity(name)).unwrap().is_some() {
            self.disk.remove(name).unwrap();
        }
        self.disk.create(name, bytes).unwrap();
    }

    fn examine(&self) -> Examined {
        let disk: Arc<dyn Disk> = Arc::clone(&self.disk) as _;
        examine(disk).unwrap()
    }

    fn findings(&self) -> Vec<String> {
        self.examine().findings().iter().map(ToString::to_string).collect()
    }

    fn content(&self) -> Vec<(String, Vec<u8>)> {
        let names = self.disk.names_inner(DIRECTORY).unwrap();
        names.into_iter().map(|name| (name.clone(), self.disk.read(&name).unwrap())).collect()
    }
}

#[test]
fn a_session_in_order_has_no_findings() {
    assert_eq!(Patient::with(&log(&records())).findings(), [""; 0]);
}

#[test]
fn what_an_editor_or_a_script_did_to_the_lines_is_put_right_and_the_original_is_kept() {
    let (whole, lines) = (log(&records()), lines(&records()));
    let order = |order: &[usize]| order.iter().map(|&index| lines[index].as_str()).collect::<String>().into_bytes();
    let glued = String::from_utf8(whole.clone()).unwrap().replacen('\n', "", 2).into_bytes();
    let crlf = String::from_utf8(whole.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    let marked = [BOM, &whole].concat();
    let unended = whole[..whole.len() - 1].to_vec();
    let padded = [&whole[..], b"\n\n  \n"].concat();
    for (touched, is_repaired) in [
        (crlf, true),
        (marked, true),
        (glued, true),
        (order(&[0, 1, 1, 2, 3, 4]), true),
        (order(&[2, 0, 1, 4, 3]), true),
        (unended, false),
        (padded, false),
    ] {
        let patient = Patient::with(&touched);
        let before = patient.content();
        let examined = patient.examine();
        assert_eq!(patient.content(), before, "to look changes nothing");
        let aside = examined.repair().unwrap();
        drop(examined);
        if is_repaired {
            assert_eq!(aside, ["journal.jsonl.aside-1"]);
            assert_eq!(patient.disk.read(&aside[0]).unwrap(), touched);
            assert_eq!(patient.disk.read(JOURNAL).unwrap(), whole);
        } else {
            assert!(aside.is_empty());
        }
        assert!(patient.findings().iter().all(|finding| finding.contains("the next boot")), "{:?}", patient.findings());
    }
}

const BOM: &[u8] = b"\xef\xbb\xbf";

#[test]
fn a_record_that_is_gone_is_never_repaired_away() {
    let lines = lines(&records());
    let order = |order: &[usize]| order.iter().map(|&index| lines[index].as_str()).collect::<String>().into_bytes();
    let mut flipped = log(&records());
    flipped[200] ^= 1;
    for journal in [order(&[0, 1, 3, 4]), flipped] {
        let patient = Patient::with(&journal);
        let examined = patient.examine();
        let [finding] = examined.findings() else { panic!("{:?}", examined.findings()) };
        assert!(matches!(finding.remedy, Remedy::Person(_)) && !finding.loss.is_empty(), "{finding}");
        assert!(examined.repair().unwrap().is_empty());
        assert_eq!(patient.disk.read(JOURNAL).unwrap(), journal);
    }
}

#[test]
fn lines_of_others_stay_where_they_stood() {
    let foreign = "{\"t\": \"x\", \"action\": \"note\"}\r\n";
    let crlf = lines(&records()).join(foreign).replace('\n', "\r\n");
    let patient = Patient::with(crlf.as_bytes());
    patient.examine().repair().unwrap();
    let mended = String::from_utf8(patient.disk.read(JOURNAL).unwrap()).unwrap();
    assert_eq!(mended, lines(&records()).join(&foreign.replace('\r', "")));
}

#[test]
fn a_lock_file_with_another_text_gets_the_id_that_the_log_confirms() {
    let patient = Patient::with(&log(&records()));
    patient.put(LOCK, b"hello\n");
    let inode = || patient.disk.identity(LOCK).unwrap().inode;
    let before = inode();
    let examined = patient.examine();
    let [finding] = examined.findings() else { panic!("{:?}", examined.findings()) };
    assert!(matches!(finding.remedy, Remedy::Repair(_)), "{finding}");
    assert_eq!(examined.repair().unwrap(), ["session.lock.aside-1"]);
    assert_eq!(inode(), before, "by another file the session would pass for a copy");
    drop(examined);
    assert_eq!(patient.findings(), [""; 0]);
}

#[test]
fn what_the_next_boot_puts_right_is_told_and_left_to_it() {
    let torn = [&log(&records())[..], b"{\"t\":\"19"].concat();
    let patient = Patient::with(&torn);
    patient.put("state.json.tmp", b"half");
    patient.put(REGISTRY, b"[\"pay_");
    patient.disk.remove(HANDOFF).unwrap();
    let findings = patient.findings();
    for file in [JOURNAL, "state.json.tmp", REGISTRY, HANDOFF] {
        assert!(
            findings.iter().any(|finding| finding.starts_with(file) && finding.contains("the next boot")),
            "{file}"
        );
    }
    assert_eq!(findings.len(), 4, "{findings:?}");
    assert!(patient.examine().repair().unwrap().is_empty());
}

#[test]
fn a_lost_log_says_what_is_lost_with_it() {
    let patient = Patient::with(&log(&records()[..3]));
    let findings = patient.findings();
    assert!(findings.iter().any(|finding| finding.contains("ends at record 3, though 4 were synced")), "{findings:?}");
    assert!(findings.iter().any(|finding| finding.contains("(key pay_005): only the registry knows")), "{findings:?}");
}

#[test]
fn a_held_session_is_not_examined() {
    let patient = Patient::with(&log(&records()));
    let examined = patient.examine();
    let disk: Arc<dyn Disk> = Arc::clone(&patient.disk) as _;
    assert!(matches!(examine(disk), Err(StoreError::Busy { .. })));
    drop(examined);
}

#[test]
fn no_damage_of_one_byte_is_repaired_into_another_session() {
    let whole = log(&records());
    for position in 0..whole.len() {
        for change in [1, 13 ^ whole[position], 10 ^ whole[position]] {
            let mut bytes = whole.clone();
            bytes[position] ^= change;
            if let Some(mended) = mend::lines(&bytes, SESSION) {
                let kept: Vec<_> = mended.split_inclusive(|&byte| byte == b'\n').collect();
                let known: Vec<_> = whole.split_inclusive(|&byte| byte == b'\n').collect();
                assert!(kept.iter().all(|line| known.contains(line) || line[0] != b'{'), "byte {position}");
            }
        }
    }
}

/// A value whose record was never written, or was left out since.
#[test]
fn values_that_no_record_names_are_counted_and_stay() {
    let patient = Patient::with(&log(&records()));
    patient.disk.create_inner(BLOBS).unwrap();
    for (name, bytes) in [("blobs/one", &b"12345"[..]), ("blobs/two", b"123")] {
        patient.disk.create(name, bytes).unwrap();
    }
    let told = "blobs/: no record names 2 of its files, 8 bytes in all; it does no harm, and stays";
    assert_eq!(patient.findings(), [told]);
    assert!(patient.examine().repair().unwrap().is_empty());
    assert_eq!(patient.disk.names_inner(BLOBS).unwrap(), ["one", "two"]);
}
