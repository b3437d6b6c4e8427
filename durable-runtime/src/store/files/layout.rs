//! Every name, size and mode of a session's directory.

use uuid::Uuid;

/// The log: append only, the authority.
pub(super) const JOURNAL: &str = "journal.jsonl";

/// The second witness: a JSON array of every reserved key.
pub(super) const REGISTRY: &str = "idempotency.json";

/// A view: what the session is and where it stands.
pub(super) const STATE: &str = "state.json";

/// A view: the letter to the next session.
pub(super) const HANDOFF: &str = "handoff.md";

/// The lock, and the session's id.
pub(super) const LOCK: &str = "session.lock";

/// The directory of the values that are kept apart from the log, one file each.
pub(super) const BLOBS: &str = "blobs";

/// The directory itself, as a name inside it.
pub(super) const DIRECTORY: &str = ".";

/// What still matters of a log that was shrunk.
pub(super) const SNAPSHOT: &str = "snapshot.jsonl";

/// The directory of what other processes have left: one file for each word of a person.
pub(super) const INBOX: &str = "inbox";

/// The name of a word in the inbox.
pub(super) fn word(id: Uuid) -> String {
    format!("{INBOX}/{id}{WORD}")
}

/// The id in the name of a word, as it stands in the inbox.
pub(super) fn word_id(name: &str) -> Option<Uuid> {
    let id: Uuid = name.strip_suffix(WORD)?.parse().ok()?;
    (id.to_string() + WORD == name).then_some(id)
}

const WORD: &str = ".json";

/// The files that are put in place by a rename, and so may leave a temporary file behind.
pub(super) const RENAMED: [&str; 5] = [REGISTRY, STATE, HANDOFF, SNAPSHOT, JOURNAL];

/// The name under which the next content of `name` is written before it is renamed.
pub(super) fn temporary(name: &str) -> String {
    format!("{name}.tmp")
}

/// The directory is its owner's alone.
pub(super) const DIRECTORY_MODE: u32 = 0o700;

/// So is every file.
pub(super) const FILE_MODE: u32 = 0o600;

/// What a disk writes whole or not at all: no key of the registry lies across such a border.
pub(super) const SECTOR: u64 = 512;

/// Size of an empty registry.
pub(super) const REGISTRY_SIZE: usize = 4096;

/// The longest handoff that is written in place: one page, which a kill cannot tear.
pub(super) const HANDOFF_PAGE: usize = 4096;

/// How many lines of the log a boot shows.
pub(super) const TAIL_LINES: usize = 20;
