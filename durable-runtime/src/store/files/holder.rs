//! Who holds a session, as the system tells it. It decides nothing: only the lock does.
#![expect(clippy::disallowed_methods, reason = "which processes have a lock is told in files of the system alone")]

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Identity};
use super::layout::{DIRECTORY, LOCK};
use crate::core::{secrets, text};

/// Which process holds a session, as far as it can be seen without taking its lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holder {
    /// This one has it: it has taken it, or inherited it from one that has ended.
    Process(u32),
    /// None that can be seen from here. One in another container may hold it all the same.
    NoneSeen,
    /// The system does not tell.
    Unknown,
}

/// The most that is shown of a command, in bytes.
const SHOWN: usize = 100;

impl Holder {
    /// The command that this process runs, where the system tells it, without what looks like a secret.
    pub fn command(self) -> Option<String> {
        let Self::Process(pid) = self else { return None };
        let words = fs::read(process(pid).join("cmdline")).ok()?;
        let words: Vec<_> = words.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
        let command = words.join(" ");
        let command = text::clean(secrets::redact(command.trim()).trim(), SHOWN);
        (!command.is_empty()).then_some(command)
    }
}

/// Who holds the session on this disk.
pub(super) fn of(disk: &dyn Disk) -> Holder {
    let files = [DIRECTORY, LOCK].map(|name| disk.identity(name).ok());
    match (disk.locks(), files) {
        (Some(locks), [Some(directory), Some(lock)]) => match taken_by(&locks, [&directory, &lock]) {
            Some(pid) => Holder::Process(disk.heir(pid, &lock)),
            None => Holder::NoneSeen,
        },
        _ => Holder::Unknown,
    }
}

/// Who has taken the locks of both files. `locks` is what Linux says in `/proc/locks`: there the device of a file may be another
/// than elsewhere, so each is known by its number, and by the other that is locked on the same device.
fn taken_by(locks: &str, files: [&Identity; 2]) -> Option<u32> {
    let taken = |file: &Identity| {
        let inode = file.inode.to_string();
        let line = move |line: &str| {
            let mut words = line.split_ascii_whitespace().skip(1);
            let is_lock = words.next() == Some("FLOCK") && words.nth(1) == Some("WRITE");
            let (pid, place) = (words.next()?, words.next()?);
            let (device, number) = place.rsplit_once(':')?;
            (is_lock && number == inode).then(|| (pid.to_owned(), device.to_owned()))
        };
        locks.lines().filter_map(line).collect::<Vec<_>>()
    };
    let [one, other] = files.map(taken);
    let both = other.iter().find(|(_, device)| one.iter().any(|(_, other)| device == other));
    both.and_then(|(pid, _)| pid.parse().ok())
}

/// Who has the lock that this process has taken. The list of locks names whoever took one for ever, also when that has ended and
/// left it to a program that it had started: such a program has the locked file open.
pub(super) fn heir(pid: u32, lock: &Identity) -> u32 {
    if has_open(pid, lock).unwrap_or_else(|| process(pid).exists()) {
        return pid;
    }
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    all.filter(|pid| has_open(*pid, lock) == Some(true)).min().unwrap_or(pid)
}

/// Whether the process has the file open; `None` where that may not be seen.
fn has_open(pid: u32, file: &Identity) -> Option<bool> {
    let open = fs::read_dir(process(pid).join("fd")).ok()?;
    let mut found = open.flatten().filter_map(|entry| fs::metadata(entry.path()).ok());
    Some(found.any(|found| (found.dev(), found.ino()) == (file.device, file.inode)))
}

fn process(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::store::files::disk::{RealDisk, identity};
    use crate::store::files::lock::take;

    const LOCKS: &str = "\
1: POSIX  ADVISORY  WRITE 11 fe:01:7 0 EOF
2: FLOCK  ADVISORY  WRITE 12 fe:01:7 0 EOF
2: -> FLOCK  ADVISORY  WRITE 13 fe:01:7 0 EOF
3: FLOCK  ADVISORY  WRITE 12 fe:01:8 0 EOF
4: FLOCK  ADVISORY  WRITE 14 fe:02:9 0 EOF
";

    #[test]
    fn who_has_locked_both_files_holds_the_session() {
        let file = |inode| Identity { device: 0, inode, len: 0 };
        let of = |one, other| taken_by(LOCKS, [&file(one), &file(other)]);
        assert_eq!(of(7, 8), Some(12));
        assert_eq!([of(7, 9), of(8, 5), of(1, 2)], [None; 3]);
    }

    #[test]
    fn the_system_tells_who_holds_a_session() {
        let directory = tempfile::tempdir().unwrap();
        let (path, disk) = (directory.path().join(LOCK), RealDisk::new(directory.path()));
        let file = File::create(&path).unwrap();
        let free = of(&disk);
        if free == Holder::Unknown {
            return eprintln!("not measured here: no list of locks");
        }
        assert_eq!((free, free.command()), (Holder::NoneSeen, None));
        let lock = identity(&file.metadata().unwrap());
        let _file = take(file, &path).unwrap().unwrap();
        let _directory = take(File::open(directory.path()).unwrap(), directory.path()).unwrap().unwrap();
        let held = of(&disk);
        assert_eq!(held, Holder::Process(std::process::id()));
        assert!(held.command().is_some());
        assert_eq!(heir(u32::MAX, &lock), std::process::id(), "whoever took it has ended");
    }
}
