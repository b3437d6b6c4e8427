//! The second witness: every reserved key, as a JSON array that any script can read at any moment.
//!
//! The array ends in spaces. A key is put in place by one write over some of them, inside one sector and without a
//! change of size: neither a kill nor a power cut leaves half a key. When the spaces run out, the file is written anew
//! at twice its size. No key is held in memory: the log names them all.

use std::collections::{BTreeSet, HashSet};
use std::io;

use serde::de::DeserializeOwned;

use super::disk::{Disk, Identity, Replace, if_exists, replace};
use super::keys::Keys;
use super::layout::{REGISTRY, REGISTRY_SIZE, SECTOR};
use crate::core::record::Witnessed;

/// Where the next key goes. The keys themselves are in the file, and in the log.
#[derive(Debug, Default)]
pub(super) struct Registry {
    room: Option<Room>,
    /// Keys that are known to be there though the log has no first attempt of theirs.
    known: BTreeSet<String>,
}

/// The spaces in the file that was read or written last.
#[derive(Clone, Copy, Debug)]
struct Room {
    file: Identity,
    spaces: Spaces,
}

/// The run of spaces at the end of the array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spaces {
    /// Where they begin.
    pub(super) from: u64,
    /// Where the closing bracket stands.
    pub(super) to: u64,
    /// Whether no key stands before them.
    pub(super) first: bool,
}

impl Registry {
    /// The registry that was just read from `disk`, with this `room` in a file of that length; `known` are keys in it that
    /// may be reserved as if they were new.
    pub(super) fn read(
        disk: &dyn Disk,
        room: Option<(Spaces, u64)>,
        known: impl IntoIterator<Item = String>,
    ) -> io::Result<Self> {
        let file = disk.identity(REGISTRY)?;
        let room = room.filter(|(_, len)| file.len == *len).map(|(spaces, _)| Room { file, spaces });
        Ok(Self { room, known: known.into_iter().collect() })
    }

    /// Writes a new file with these keys alone.
    pub(super) fn begin(&mut self, disk: &dyn Disk, keys: &[String], how: Replace) -> io::Result<()> {
        let mut array = serde_json::to_vec(keys)?;
        array.pop();
        self.put(disk, padded(array, keys.is_empty()), how)
    }

    fn put(&mut self, disk: &dyn Disk, (bytes, spaces): (Vec<u8>, Spaces), how: Replace) -> io::Result<()> {
        self.room = None;
        replace(disk, REGISTRY, &bytes, how)?;
        let file = disk.identity(REGISTRY)?;
        self.room = Some(Room { file, spaces });
        Ok(())
    }

    /// Writes the whole file anew, with these keys too. What stands there stays byte for byte: a snapshot may have witnessed
    /// it.
    pub(super) fn extend(&mut self, disk: &dyn Disk, more: &[String], how: Replace) -> io::Result<()> {
        let spoilt = || io::Error::new(io::ErrorKind::InvalidData, "it was an array of keys, and is none any more");
        let bytes = disk.read(REGISTRY)?;
        let mut keys: Vec<String> = parse(&bytes).ok_or_else(spoilt)?;
        let Some(Spaces { from, first: false, .. }) = spaces(&bytes) else {
            keys.extend_from_slice(more);
            return self.begin(disk, &keys, how);
        };
        let mut array = bytes;
        array.truncate(usize::try_from(from).map_err(io::Error::other)?);
        for key in more {
            array.push(b',');
            array.extend_from_slice(&serde_json::to_vec(key)?);
        }
        self.put(disk, padded(array, false), how)
    }

    /// The part of the file that names all these keys and no other, for a snapshot; none of it if it names others too. Every
    /// one that is left out of the log must be among them.
    pub(super) fn witnessed(
        &self,
        disk: &dyn Disk,
        named: &HashSet<String>,
        left_out: &[String],
    ) -> io::Result<Witnessed> {
        let bytes = disk.read(REGISTRY)?;
        let listed: Keys = parse(&bytes).unwrap_or_default();
        let listed: HashSet<&str> = listed.from(0).collect();
        if let Some(key) = left_out.iter().find(|key| !listed.contains(key.as_str())) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("it lacks {key}")));
        }
        let is_same = listed.len() == named.len() && named.iter().all(|key| listed.contains(key.as_str()));
        let Some(Spaces { from, .. }) = spaces(&bytes).filter(|_| is_same) else { return Ok(Witnessed::default()) };
        let part = usize::try_from(from).ok().and_then(|len| bytes.get(..len)).unwrap_or_default();
        Ok(Witnessed { len: part.len() as u64, crc: crc32c::crc32c(part) })
    }

    /// Puts keys in place, unsynced: each of them new to this session.
    ///
    /// A script that knows nothing of the lock replaces the file; what it wrote is read and kept beside all that the log
    /// has `logged`.
    pub(super) fn insert(
        &mut self,
        disk: &dyn Disk,
        keys: &[String],
        logged: impl FnOnce() -> io::Result<Vec<String>>,
    ) -> io::Result<()> {
        let keys: Vec<_> = keys.iter().filter(|key| !self.known.contains(*key)).cloned().collect();
        if keys.is_empty() {
            return Ok(());
        }
        let file = if_exists(disk.identity(REGISTRY))?;
        if self.room.is_none_or(|room| Some(room.file) != file) {
            return self.join(disk, logged()?);
        }
        for (place, key) in keys.iter().enumerate() {
            if self.place(disk, &serde_json::to_string(key)?)? {
                continue;
            }
            return match self.extend(disk, &keys[place..], Replace::Synced) {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => self.join(disk, logged()?),
                extended => extended,
            };
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

    /// Writes the file anew with all keys of the log, and those of a file that somebody else has put there.
    fn join(&mut self, disk: &dyn Disk, logged: Vec<String>) -> io::Result<()> {
        let theirs: Vec<String> = if_exists(disk.read(REGISTRY))?.and_then(|bytes| parse(&bytes)).unwrap_or_default();
        if !theirs.is_empty() {
            tracing::warn!(place = disk.place(), "idempotency.json was replaced by another process; its keys are kept");
        }
        let mut seen: HashSet<&str> = HashSet::new();
        let all = logged.iter().chain(&self.known).chain(&theirs).filter(|key| seen.insert(key.as_str()));
        let all: Vec<_> = all.cloned().collect();
        self.begin(disk, &all, Replace::Synced)?;
        self.known.extend(theirs);
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
pub(super) fn parse<K: DeserializeOwned>(bytes: &[u8]) -> Option<K> {
    serde_json::from_slice(bytes).ok()
}

/// The keys of such an array behind one of its keys, without the closing bracket.
pub(super) fn parse_behind(rest: &[u8]) -> Option<Keys> {
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b",").unwrap_or(rest);
    parse(&[b"[", rest, b"]"].concat())
}

/// Whether the bytes name no key at all: what a power cut leaves of a file that had none.
pub(super) fn names_nothing(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b'\0' | b' ' | b'\n' | b'[' | b']'))
}

/// The spaces before the closing bracket of a valid array.
pub(super) fn spaces(bytes: &[u8]) -> Option<Spaces> {
    let to = bytes.iter().rposition(|&byte| byte == b']')?;
    let before = without_spaces(&bytes[..to]);
    let last = before.last().filter(|byte| !byte.is_ascii_whitespace())?;
    Some(Spaces { from: before.len() as u64, to: to as u64, first: *last == b'[' })
}

/// The bytes without the spaces at their end, which may be half of a file.
fn without_spaces(mut bytes: &[u8]) -> &[u8] {
    while let Some(rest) = bytes.strip_suffix(&[b' '; 64]) {
        bytes = rest;
    }
    while let Some(rest) = bytes.strip_suffix(b" ") {
        bytes = rest;
    }
    bytes
}

/// An array that is still open, and behind its keys at least as many spaces as it has bytes.
fn padded(mut bytes: Vec<u8>, is_empty: bool) -> (Vec<u8>, Spaces) {
    const END: &[u8] = b"]\n";
    let from = bytes.len();
    let size = (2 * (from + END.len())).next_power_of_two().max(REGISTRY_SIZE);
    let to = size - END.len();
    bytes.resize(to, b' ');
    bytes.extend_from_slice(END);
    (bytes, Spaces { from: from as u64, to: to as u64, first: is_empty })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::files::counting::{CountingDisk, Operation};
    use crate::store::files::disk::RealDisk;

    struct Fixture {
        disk: RealDisk,
        registry: Registry,
        logged: Vec<String>,
        _directory: tempfile::TempDir,
    }

    fn fixture() -> Fixture {
        let directory = tempfile::tempdir().unwrap();
        let disk = RealDisk::new(directory.path());
        let mut registry = Registry::default();
        registry.begin(&disk, &[], Replace::Unsynced).unwrap();
        Fixture { disk, registry, logged: Vec::new(), _directory: directory }
    }

    fn read(disk: &RealDisk, bytes: &[u8], known: &[&str]) -> Registry {
        let room = spaces(bytes).map(|spaces| (spaces, bytes.len() as u64));
        Registry::read(disk, room, known.iter().map(|&key| key.to_owned())).unwrap()
    }

    impl Fixture {
        fn insert(&mut self, key: &str) {
            self.logged.push(key.to_owned());
            let logged = || Ok(self.logged.clone());
            self.registry.insert(&self.disk, &[key.to_owned()], logged).unwrap();
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

    /// What is written for a key does not grow with their number: the file is written anew only when it has become twice as long.
    #[test]
    fn a_hundred_thousand_keys_are_one_small_write_each() {
        let directory = tempfile::tempdir().unwrap();
        let disk = CountingDisk::new(RealDisk::new(directory.path()));
        let mut registry = Registry::default();
        registry.begin(&disk, &[], Replace::Unsynced).unwrap();
        let keys: Vec<_> = (0..100_000).map(|number| key(number, 30)).collect();
        for (number, key) in keys.iter().enumerate() {
            let logged = || Ok(keys[..=number].to_vec());
            registry.insert(&disk, std::slice::from_ref(key), logged).unwrap();
        }
        let anew = disk.count(Operation::Rename, REGISTRY);
        assert!(anew <= 12, "it was written anew {anew} times");
        assert_eq!(disk.count(Operation::WriteAt, REGISTRY), 100_001 - anew);
        let listed: Vec<String> = serde_json::from_slice(&disk.read(REGISTRY).unwrap()).unwrap();
        assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), keys.into_iter().collect());
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
    fn a_key_that_is_known_to_be_in_is_not_written_again() {
        let mut fixture = fixture();
        fixture.insert("pay/1");
        let before = fixture.bytes();
        fixture.registry = read(&fixture.disk, &before, &["pay/1"]);
        fixture.insert("pay/1");
        assert_eq!(fixture.bytes(), before);
    }

    #[test]
    fn a_registry_replaced_by_another_process_is_joined() {
        let mut fixture = fixture();
        fixture.insert("ours/1");
        replace(&fixture.disk, REGISTRY, br#"["ours/1", "theirs/1"]"#, Replace::Unsynced).unwrap();
        fixture.insert("ours/2");
        assert_eq!(fixture.listed(), ["ours/1", "ours/2", "theirs/1"]);
        fixture.disk.remove(REGISTRY).unwrap();
        fixture.insert("ours/3");
        assert_eq!(fixture.listed(), ["ours/1", "ours/2", "ours/3", "theirs/1"]);
    }

    /// What a hand has spoilt in place is written anew from the log, and no key of it is taken for gone.
    #[test]
    fn a_registry_that_cannot_be_read_when_it_grows_is_written_anew_from_the_log() {
        let mut fixture = fixture();
        for number in 0..8 {
            fixture.insert(&key(number, 480));
        }
        fixture.disk.write_at(REGISTRY, 1, b"x").unwrap();
        fixture.insert(&key(8, 480));
        assert_eq!(fixture.listed(), (0..9).map(|number| key(number, 480)).collect::<Vec<_>>());
    }

    #[test]
    fn a_registry_is_read_back_and_written_on_in_place() {
        let mut fixture = fixture();
        fixture.insert("a\"\\\n\u{e9}");
        let bytes = fixture.bytes();
        let mut again = read(&fixture.disk, &bytes, &[]);
        again.insert(&fixture.disk, &["b".to_owned()], || panic!("the file is known")).unwrap();
        assert_eq!(fixture.listed(), ["a\"\\\n\u{e9}", "b"]);
        assert_eq!(fixture.bytes().len(), bytes.len());
    }

    #[test]
    fn an_array_that_a_script_has_laid_out_is_written_on() {
        for text in ["[]", "[ ]", "[\n]\n", "[\n  \"a\",\n  \"b\"\n]\n", r#"["a", "b"  ]"#] {
            let fixture = fixture();
            replace(&fixture.disk, REGISTRY, text.as_bytes(), Replace::Unsynced).unwrap();
            let mut expected = fixture.listed();
            let mut registry = read(&fixture.disk, text.as_bytes(), &[]);
            let logged: Vec<_> = expected.iter().cloned().chain(["c".to_owned()]).collect();
            registry.insert(&fixture.disk, &["c".to_owned()], || Ok(logged)).unwrap();
            expected.push("c".to_owned());
            assert_eq!(fixture.listed(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_array_of_strings_is_not_a_registry() {
        for bytes in ["", "[", "{}", "[1]", "[\"a\"", "\0\0"] {
            assert!(parse::<Keys>(bytes.as_bytes()).is_none(), "{bytes:?}");
        }
        assert!(names_nothing(b"\0\0") && names_nothing(b"") && !names_nothing(b"[\"a\""));
    }
}
