//! A disk in a file. The kernel writes to the file what it would write to a device, and nothing else: a copy of it holds
//! what a disk would hold whose power fails now.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use durable_runtime::testing::Ground;

use crate::filesystem::{FileSystem, run};

/// Lets sessions stand on a disk of their own, which loses power with the process.
pub(crate) struct PowerCut(FileSystem);

impl PowerCut {
    pub(crate) fn new(filesystem: FileSystem) -> Self {
        Self(filesystem)
    }
}

impl Ground for PowerCut {
    fn deed(&self) -> &'static str {
        "power cut"
    }

    fn begin(&self, sessions: &Path) -> io::Result<()> {
        let disk = beside(sessions, "disk.img");
        self.0.make(&disk).and_then(|()| self.0.mount(&disk, sessions)).map_err(io::Error::other)
    }

    fn struck(&self, sessions: &Path) -> io::Result<()> {
        let (disk, copy) = (beside(sessions, "disk.img"), beside(sessions, "after.img"));
        let cut = run(Command::new("cp").arg("--sparse=always").args([&disk, &copy]))
            // What is not on the disk yet goes to the old one, which nobody will read.
            .and_then(|()| unmount(sessions))
            .and_then(|()| fs::remove_file(&disk).map_err(|error| error.to_string()))
            .and_then(|()| self.0.mount(&copy, sessions));
        cut.map_err(io::Error::other)
    }

    fn is_kept(&self) -> bool {
        false
    }

    fn end(&self, sessions: &Path) {
        // It may not be mounted, or still be in use, if the trial has failed before.
        unmount(sessions).or_else(|_| run(Command::new("umount").arg("--lazy").arg(sessions))).ok();
    }
}

/// Shows that a cut forgets what was not synced, and keeps what was. Whatever passes on a disk that forgets nothing
/// proves nothing.
pub(crate) fn forgets(filesystem: FileSystem) -> Result<(), String> {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let sessions = place.path().join("sessions");
    let ground = PowerCut::new(filesystem);
    let cut = || {
        fs::create_dir(&sessions)?;
        ground.begin(&sessions)?;
        let mut synced = fs::File::create(sessions.join("synced"))?;
        synced.write_all(b"synced")?;
        synced.sync_all()?;
        drop(synced);
        fs::File::open(&sessions)?.sync_all()?;
        fs::write(sessions.join("unsynced"), b"unsynced")?;
        ground.struck(&sessions)?;
        Ok((fs::read(sessions.join("synced")).ok(), fs::read(sessions.join("unsynced")).ok()))
    };
    let left: io::Result<_> = cut();
    ground.end(&sessions);
    match left.map_err(|error| error.to_string())? {
        (Some(synced), _) if synced != b"synced" => Err("a power cut has changed what was synced".to_owned()),
        (None, _) => Err("a power cut has taken what was synced".to_owned()),
        (_, Some(unsynced)) if unsynced == b"unsynced" => {
            Err("a power cut has left what was never synced: it is none".to_owned())
        }
        _ => Ok(()),
    }
}

fn unmount(place: &Path) -> Result<(), String> {
    run(Command::new("umount").arg(place))
}

fn beside(sessions: &Path, name: &str) -> PathBuf {
    sessions.with_file_name(name)
}
