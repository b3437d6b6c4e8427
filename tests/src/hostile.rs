//! A session of which one file is not what the library has left: a fuzzer's way in, and that of the tests which try again what
//! fuzzers have found.
//!
//! Whatever stands there, it is understood or refused. Understood, everything that the other files know to have been reserved is
//! still reserved; refused, nothing is changed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use durable_runtime::{Error, Session, doctor};
use tokio::runtime::{Builder, Runtime};
use uuid::Uuid;

use crate::files::SessionFiles;
use crate::fixtures;

/// Tries an input; whether the session opens.
pub type Target = fn(&[u8]) -> bool;

/// What is tried, by the name of its corpus.
pub const TARGETS: [(&str, Target); 5] = [
    ("journal", |bytes| file("journal.jsonl", bytes)),
    ("snapshot", |bytes| file("snapshot.jsonl", bytes)),
    ("registry", |bytes| file("idempotency.json", bytes)),
    ("state", |bytes| file("state.json", bytes)),
    ("records", records),
];

/// Tries it on the target of this name; whether the session opens.
///
/// # Panics
///
/// Panics if there is none, or if the library breaks a promise.
pub fn try_it(target: &str, bytes: &[u8]) -> bool {
    let (_, target) = TARGETS.iter().find(|(name, _)| *name == target).expect("the target has a name of the list");
    target(bytes)
}

/// The session that is spoiled: finished runs that have left the log, one in the middle, and a step in doubt.
const WHOLE: &str = "format-1-trimmed";

/// One file has this content; whether the session opens.
///
/// # Panics
///
/// Panics if the library breaks a promise.
pub fn file(name: &str, bytes: &[u8]) -> bool {
    let session = Spoiled::new();
    fs::write(session.files.path(name), bytes).expect("the file can be written");
    RUNTIME.block_on(session.judge())
}

/// The log has these records, each line one, and their checksums hold: what no accident leaves, and a mistake in the library could.
/// Whether the session opens.
///
/// # Panics
///
/// Panics if the library breaks a promise that it can keep then.
pub fn records(bytes: &[u8]) -> bool {
    let session = Spoiled::new();
    fs::write(session.files.path("journal.jsonl"), sealed(session.id(), bytes)).expect("the file can be written");
    RUNTIME.block_on(session.judge())
}

/// Records with the checksums of this session, as they stand in its log.
pub fn sealed(session: Uuid, records: &[u8]) -> Vec<u8> {
    records
        .split_inclusive(|&byte| byte == b'\n')
        .flat_map(|line| seal(session, line.strip_suffix(b"\n").unwrap_or(line)))
        .collect()
}

/// The records of a journal as [`records`] and [`sealed`] take them.
pub fn unsealed(journal: &str) -> String {
    let open = |line: &str| format!("{}\n", line.rfind(CRC).map_or(line, |end| &line[..end]));
    journal.lines().map(open).collect()
}

const CRC: &str = ",\"crc\":\"";

/// A whole object stays what it is: somebody else's line.
fn seal(session: Uuid, line: &[u8]) -> Vec<u8> {
    if line.ends_with(b"}") {
        return [line, b"\n"].concat();
    }
    let crc = crc32c::crc32c_append(crc32c::crc32c(session.as_bytes()), line);
    [line, format!("{CRC}{crc:08x}\"}}\n").as_bytes()].concat()
}

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime"));

struct Spoiled {
    _directory: tempfile::TempDir,
    files: SessionFiles,
}

impl Spoiled {
    fn new() -> Self {
        // In memory where there is such a place: a fuzzer tries thousands a second.
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let directory = tempfile::tempdir_in(root).expect("a directory");
        let files = SessionFiles::at(directory.path().join("session"));
        fixtures::copy(&fixtures::root().join(WHOLE), files.dir()).expect("the session can be copied");
        Self { _directory: directory, files }
    }

    fn id(&self) -> Uuid {
        let text = fs::read_to_string(self.files.path("session.lock")).expect("the fixture has a lock file");
        text.trim().parse().expect("the lock file holds the id of the session")
    }

    async fn judge(&self) -> bool {
        let before = self.files.bytes();
        let opens = self.examine().await;
        assert_eq!(self.files.bytes(), before, "a look changes nothing");

        let opened = self.open().await;
        assert_eq!(opened.is_ok(), opens, "the doctor says whether it opens: {:?}", opened.err());
        match opened {
            Err(_) => assert_eq!(self.files.bytes(), before, "a refusal changes nothing"),
            Ok(()) => self.is_kept_when_opened_again().await,
        }
        opens
    }

    async fn examine(&self) -> bool {
        let Ok(diagnosis) = doctor(self.files.dir()).await else { return false };
        is_harmless(&diagnosis.to_string());
        diagnosis.opens()
    }

    async fn open(&self) -> Result<(), Error> {
        let session = Session::open(self.files.dir()).await.inspect_err(|error| is_harmless(&error.to_string()))?;
        is_harmless(&session.handoff().to_string());
        session.close().await
    }

    async fn is_kept_when_opened_again(&self) {
        let keys = self.keys();
        let missing: Vec<_> = WITNESSED.iter().filter(|key| !keys.contains(*key)).collect();
        assert!(missing.is_empty(), "what was reserved is not any more: {missing:?}");
        self.open().await.expect("what opens once opens again");
        assert_eq!(self.keys(), keys);
    }

    fn keys(&self) -> BTreeSet<String> {
        self.files.registry().expect("a session that was opened has a registry").into_iter().collect()
    }
}

/// What two files of the whole session know to have been reserved, so that the loss of one forgets nothing.
static WITNESSED: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let whole = SessionFiles::at(fixtures::root().join(WHOLE));
    whole.registry().expect("the fixture has a registry").into_iter().collect()
});

/// Nothing in a text of ours is obeyed by a terminal.
fn is_harmless(text: &str) {
    let obeyed = text.chars().find(|&c| c.is_control() && c != '\n');
    assert_eq!(obeyed, None, "in {text:?}");
}
