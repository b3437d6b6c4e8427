//! The second witness: every reserved key, as a JSON array that any script can read at any moment.
//!
//! The array ends in spaces. A key is put in place by one write over some of them, inside one sector and without a
//! change of size: neither a kill nor a power cut leaves half a key. When the spaces run out, the file is written anew
//! at twice its size.

use std::collections::BTreeSet;
use std::io;

use super::disk::{Disk, Identity, Replace, if_exists, replace};
use super::layout::{REGISTRY, REGISTRY_SIZE, SECTOR};

/// The keys, and where the next one goes.
#[derive(Debug, Default)]
pub(super) struct Registry {
    keys: BTreeSet<String>,
    room: Option<Room>,
}

/// The spaces in the file that was read or written last.
#[derive(Clone, Copy, Debug)]
struct Room {
    file: Identity,
    spaces: Spaces,
}

#[derive(Clone, Copy, Debug)]
struct Spaces {
    from: u64,
    to: u64,
    first: bool,
}

impl Registry {
    /// The registry whose bytes were just read from `disk`, and are an array of these keys.
    pub(super) fn read(disk: &dyn Disk, bytes: &[u8], keys: &[String]) -> io::Result<Self> {
        let keys: BTreeSet<_> = keys.iter().cloned().collect();
        let file = disk.identity(REGISTRY)?;
        let unchanged = file.len == bytes.len() as u64;
        let room = spaces(bytes, keys.is_empty()).filter(|_| unchanged).map(|spaces| Room { file, spaces });
        Ok(Self { keys, room })
    }

    /// Writes the whole file anew, with these keys too.
    pub(super) fn rewrite(
        &mut self,
        disk: &dyn Disk,
        more: impl IntoIterator<Item = String>,
        how: Replace,
    ) -> io::Result<()> {
        self.room = None;
        self.keys.extend(more);
        let (bytes, spaces) = render(&self.keys)?;
        replace(disk, REGISTRY, &bytes, how)?;
        let file = disk.identity(REGISTRY)?;
        self.room = Some(Room { file, spaces });
        Ok(())
    }

    /// Puts keys in place, unsynced.
    ///
    /// A script that knows nothing of the lock replaces the file; what it wrote is read and kept.
    pub(super) fn insert(&mut self, disk: &dyn Disk, keys: impl IntoIterator<Item = String>) -> io::Result<()> {
        let mut keys = keys.into_iter().filter(|key| !self.keys.contains(key)).collect::<Vec<_>>().into_iter();
        if keys.len() == 0 {
            return Ok(());
        }
        let file = if_exists(disk.identity(REGISTRY))?;
        if self.room.is_none_or(|room| Some(room.file) != file) {
            self.merge(disk)?;
            return self.rewrite(disk, keys, Replace::Synced);
        }
        while let Some(key) = keys.next() {
            let text = serde_json::to_string(&key)?;
            if self.place(disk, &text)? {
                self.keys.insert(key);
            } else {
                return self.rewrite(disk, std::iter::once(key).chain(keys), Replace::Synced);
            }
        }
        Ok(())
    }

    /// Writes one key over spaces, if there are enough.
    fn place(&mut self, disk: &dyn Disk, key: &str) -> io::Result<bool> {
        let Some(Room { spaces, .. }) = &mut self.room else { return Ok(false) };
        let text = if spaces.first { key.to_owned() } else { format!(",{key}") };
        let Some(offset) = spaces.offset_for(text.len() as u64) else { return Ok(false) };
        disk.write_at(REGISTRY, offset, text.as_bytes())?;
        spaces.from = offset + text.len() as u64;
        spaces.first = false;
        Ok(true)
    }

    fn merge(&mut self, disk: &dyn Disk) -> io::Result<()> {
        if let Some(bytes) = if_exists(disk.read(REGISTRY))? {
            tracing::warn!(place = disk.place(), "idempotency.json was replaced by another process; its keys are kept");
            self.keys.extend(parse(&bytes).unwrap_or_default());
        }
        Ok(())
    }
}

impl Spaces {
    /// Where a text of this length stands in one sector.
    fn offset_for(self, len: u64) -> Option<u64> {
        let next_sector = self.from.next_multiple_of(SECTOR);
        let offset = if self.from + len <= next_sector { self.from } else { next_sector };
        (len <= SECTOR && offset + len <= self.to).then_some(offset)
    }
}

/// The keys of an array of strings.
pub(super) fn parse(bytes: &[u8]) -> Option<Vec<String>> {
    serde_json::from_slice(bytes).ok()
}

/// Whether the bytes name no key at all: what a power cut leaves of a file that had none.
pub(super) fn names_nothing(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b'\0' | b' ' | b'\n' | b'[' | b']'))
}

/// The spaces before the closing bracket of a valid array.
fn spaces(bytes: &[u8], first: bool) -> Option<Spaces> {
    let to = bytes.iter().rposition(|&byte| byte == b']')?;
    let from = bytes[..to].iter().rposition(|&byte| byte != b' ')? + 1;
    Some(Spaces { from: from as u64, to: to as u64, first })
}

/// The keys, and at least as many spaces again.
fn render(keys: &BTreeSet<String>) -> serde_json::Result<(Vec<u8>, Spaces)> {
    const END: &[u8] = b"]\n";
    let mut bytes = serde_json::to_vec(keys)?;
    bytes.pop();
    let from = bytes.len();
    let size = (2 * (bytes.len() + END.len())).next_power_of_two().max(REGISTRY_SIZE);
    let to = size - END.len();
    bytes.resize(to, b' ');
    bytes.extend_from_slice(END);
    Ok((bytes, Spaces { from: from as u64, to: to as u64, first: keys.is_empty() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::files::disk::RealDisk;

    struct Fixture {
        disk: RealDisk,
        registry: Registry,
        _directory: tempfile::TempDir,
    }

    fn fixture() -> Fixture {
        let directory = tempfile::tempdir().unwrap();
        let disk = RealDisk::new(directory.path());
        let mut registry = Registry::default();
        registry.rewrite(&disk, [], Replace::Unsynced).unwrap();
        Fixture { disk, registry, _directory: directory }
    }

    impl Fixture {
        fn insert(&mut self, key: &str) {
            self.registry.insert(&self.disk, [key.to_owned()]).unwrap();
        }

        fn bytes(&self) -> Vec<u8> {
            self.disk.read(REGISTRY).unwrap()
        }

        /// What the file says, read by a JSON parser that knows nothing of us.
        fn listed(&self) -> Vec<String> {
            serde_json::from_slice(&self.bytes()).unwrap()
        }
    }

    /// A key whose JSON text has exactly this length.
    fn key(number: usize, json_len: usize) -> String {
        format!("{number:0width$}", width = json_len - 2)
    }

    /// What one insert has changed: where, and from what to what.
    fn changed(before: &[u8], after: &[u8]) -> (usize, Vec<u8>, Vec<u8>) {
        let sectors = || before.chunks(512).zip(after.chunks(512)).enumerate().filter(|(_, (old, new))| old != new);
        assert_eq!(sectors().count(), 1, "one write lies in one sector");
        let (sector, (old, new)) = sectors().next().unwrap();
        let differs = |&at: &usize| old[at] != new[at];
        let (from, to) = ((0..512).find(differs).unwrap(), (0..512).rfind(differs).unwrap() + 1);
        (sector * 512 + from, old[from..to].to_vec(), new[from..to].to_vec())
    }

    /// Nothing but spaces before the closing bracket becomes a comma and a key, so the array stays one.
    #[test]
    fn it_is_valid_json_after_each_of_5000_inserts() {
        let mut fixture = fixture();
        let key = |number: usize| key(number, [20, 97, 480, 33, 254][number % 5]);
        let mut before = fixture.bytes();
        for number in 0..5_000 {
            fixture.insert(&key(number));
            let after = fixture.bytes();
            if number % 250 == 0 || before.len() != after.len() {
                assert_eq!(fixture.listed().len(), number + 1);
            }
            if before.len() == after.len() {
                let (at, old, new) = changed(&before, &after);
                let comma = if number == 0 { "" } else { "," };
                assert_eq!(String::from_utf8(new).unwrap(), format!("{comma}\"{}\"", key(number)));
                assert!(old.iter().all(|&byte| byte == b' ') && at + old.len() <= before.len() - 2);
            }
            before = after;
        }
        let listed: BTreeSet<_> = fixture.listed().into_iter().collect();
        assert_eq!(listed, (0..5_000).map(key).collect());
    }

    #[test]
    fn keys_at_every_distance_from_a_sector_border_stay_whole() {
        for first in 3..=480 {
            let mut fixture = fixture();
            let keys = [key(1, first), key(2, 480), key(3, 480), key(4, 31)];
            for key in &keys {
                fixture.insert(key);
            }
            assert_eq!(fixture.listed(), keys, "first key of {first} bytes");
        }
    }

    #[test]
    fn a_key_that_is_in_is_not_written_again() {
        let mut fixture = fixture();
        fixture.insert("pay/1");
        let before = fixture.bytes();
        fixture.insert("pay/1");
        assert_eq!(fixture.bytes(), before);
    }

    #[test]
    fn a_registry_replaced_by_another_process_is_merged() {
        let mut fixture = fixture();
        fixture.insert("ours/1");
        replace(&fixture.disk, REGISTRY, br#"["ours/1", "theirs/1"]"#, Replace::Unsynced).unwrap();
        fixture.insert("ours/2");
        assert_eq!(fixture.listed(), ["ours/1", "ours/2", "theirs/1"]);
        fixture.disk.remove(REGISTRY).unwrap();
        fixture.insert("ours/3");
        assert_eq!(fixture.listed(), ["ours/1", "ours/2", "ours/3", "theirs/1"]);
    }

    #[test]
    fn a_registry_is_read_back_and_written_on_in_place() {
        let mut fixture = fixture();
        fixture.insert("a\"\\\n\u{e9}");
        let bytes = fixture.bytes();
        let mut again = Registry::read(&fixture.disk, &bytes, &fixture.listed()).unwrap();
        again.insert(&fixture.disk, ["b".to_owned()]).unwrap();
        assert_eq!(fixture.listed(), ["a\"\\\n\u{e9}", "b"]);
        assert_eq!(fixture.bytes().len(), bytes.len());
    }

    #[test]
    fn what_is_no_array_of_strings_is_not_a_registry() {
        for bytes in ["", "[", "{}", "[1]", "[\"a\"", "\0\0"] {
            assert!(parse(bytes.as_bytes()).is_none(), "{bytes:?}");
        }
        assert!(names_nothing(b"\0\0") && names_nothing(b"") && !names_nothing(b"[\"a\""));
    }
}
