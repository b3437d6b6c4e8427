//! Where a session stands: a copy of it stands elsewhere, and so does one that was restored.

use std::fmt;
use std::io;

use super::disk::{Disk, if_exists};
use super::failed;
use super::layout::{DIRECTORY, LOCK};
use crate::store::StoreError;

/// The lock file and the directory, each by its number and the instant at which it was made.
///
/// The device is no part of it: it is numbered anew at each start of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    lock: Option<String>,
    directory: String,
}

impl Place {
    /// Where the session stands now; `None` where the file system does not tell.
    pub(super) fn of(disk: &dyn Disk) -> io::Result<Option<Self>> {
        let lock = if_exists(disk.birth(LOCK))?.flatten();
        Ok(disk.birth(DIRECTORY)?.map(|directory| Self { lock, directory }))
    }

    /// How it differs from what was recorded; `None` if it is the same.
    ///
    /// A lock file that is gone was taken by a hand, and is restored: then the directory tells.
    pub(super) fn differs_from(&self, recorded: &str) -> Option<String> {
        let (lock, directory) = recorded.split_once('/')?;
        let differs = |name: &str, then: &str, now: &str| (then != now).then(|| format!("{name} was {then}, is {now}"));
        match &self.lock {
            Some(now) => differs(LOCK, lock, now),
            None => differs("the directory", directory, &self.directory),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.lock.as_deref().unwrap_or_default(), self.directory)
    }
}

/// Refuses a session that is not where it was at its last boot, if that was recorded.
pub(super) fn refuse_moved(disk: &dyn Disk, recorded: Option<&str>) -> Result<(), StoreError> {
    moved(disk, recorded)?.map_or(Ok(()), |what| Err(StoreError::Moved { what }))
}

/// How a session is not where it was at its last boot, if that was recorded.
pub(super) fn moved(disk: &dyn Disk, recorded: Option<&str>) -> Result<Option<String>, StoreError> {
    let Some(then) = recorded else { return Ok(None) };
    let now = Place::of(disk).map_err(failed("look at", LOCK))?;
    Ok(now.and_then(|now| now.differs_from(then)))
}

/// Refuses a directory on a file system of another machine.
pub(super) fn refuse_network(disk: &dyn Disk) -> Result<(), StoreError> {
    let Some(kind) = disk.network().map_err(failed("look at", &disk.place()))? else { return Ok(()) };
    let text = format!(
        "it is on {kind}, a file system of another machine, which may grant its lock twice and call durable what is not; put \
         the session on a local disk, or, if this one keeps locks and syncs, say `allow_network_file_system()`"
    );
    Err(failed("open", &disk.place())(io::Error::new(io::ErrorKind::Unsupported, text)))
}

/// The kind of the file system with this device number, if it is one of another machine. `mounts` is what Linux says in
/// `/proc/self/mountinfo`.
pub(super) fn network_of(mounts: &str, device: u64) -> Option<String> {
    const KINDS: [&str; 12] = [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "afs",
        "ceph",
        "glusterfs",
        "lustre",
        "9p",
        "fuse.sshfs",
        "fuse.glusterfs",
    ];
    // As Linux packs a device number: 12 bits and the rest.
    let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xffff_ff00));
    let wanted = format!("{major}:{minor}");
    // Of several at one place the last one covers the others.
    let mut of_device = mounts.lines().rev().filter(|line| line.split(' ').nth(2) == Some(&wanted));
    let kind = of_device.find_map(|line| line.split_once(" - ")?.1.split(' ').next());
    kind.filter(|kind| KINDS.contains(kind)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::files::disk::RealDisk;

    const MOUNTS: &str = "\
22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw
40 22 0:52 / /mnt/share rw shared:7 - nfs4 host:/export rw,vers=4.2
41 22 0:53 /sub /mnt/win rw - cifs //host/share rw
";

    #[test]
    fn a_file_system_of_another_machine_is_known_by_its_device() {
        assert_eq!(network_of(MOUNTS, 52).as_deref(), Some("nfs4"));
        assert_eq!(network_of(MOUNTS, 53).as_deref(), Some("cifs"));
        assert_eq!(network_of(MOUNTS, (254 << 8) | 1), None);
        assert_eq!(network_of(MOUNTS, 99), None);
        assert_eq!(network_of("", 52), None);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "what a person does to the directory of a session")]
    fn a_copy_stands_elsewhere_and_a_renamed_directory_does_not() {
        let top = tempfile::tempdir().unwrap();
        let (one, two) = (top.path().join("one"), top.path().join("two"));
        let disk = RealDisk::new(&one);
        disk.create_dir().unwrap();
        disk.create(LOCK, b"x").unwrap();
        let Some(then) = Place::of(&disk).unwrap() else { return eprintln!("not measured here: no birth times") };
        std::fs::rename(&one, &two).unwrap();
        let moved = RealDisk::new(&two);
        assert_eq!(Place::of(&moved).unwrap().unwrap().differs_from(&then.to_string()), None);
        let copy = RealDisk::new(&one);
        copy.create_dir().unwrap();
        copy.create(LOCK, b"x").unwrap();
        let now = Place::of(&copy).unwrap().unwrap();
        assert!(now.differs_from(&then.to_string()).unwrap().starts_with("session.lock was "));
        copy.remove(LOCK).unwrap();
        let now = Place::of(&copy).unwrap().unwrap();
        assert!(now.differs_from(&then.to_string()).unwrap().starts_with("the directory was "));
        moved.remove(LOCK).unwrap();
        assert_eq!(Place::of(&moved).unwrap().unwrap().differs_from(&then.to_string()), None);
    }
}
