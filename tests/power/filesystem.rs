//! The file systems, and what they need.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

/// A file system that sessions may be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileSystem {
    Ext4,
    Xfs,
    Btrfs,
}

impl FileSystem {
    pub(crate) const ALL: [Self; 3] = [Self::Ext4, Self::Xfs, Self::Btrfs];

    /// Whether it can be made and mounted here; why not, if not.
    pub(crate) fn usable(self) -> Result<(), String> {
        if !rustix::process::geteuid().is_root() {
            return Err("only root mounts; run it as root".to_owned());
        }
        for tool in ["losetup", "mount", "umount", "cp", self.mkfs()] {
            if run(Command::new("sh").args(["-c", "command -v \"$0\"", tool])).is_err() {
                return Err(format!("{tool} is missing; install it"));
            }
        }
        if !Path::new("/dev/loop-control").exists() {
            return Err("there are no loop devices".to_owned());
        }
        Ok(())
    }

    /// Makes one in this file, as small as it can be.
    pub(crate) fn make(self, image: &Path) -> Result<(), String> {
        let file = std::fs::File::create(image).map_err(|error| error.to_string())?;
        file.set_len(self.megabytes() << 20).map_err(|error| error.to_string())?;
        let quiet: &[&str] = if self == Self::Xfs { &["-q", "-K"] } else { &["-q"] };
        run(Command::new(self.mkfs()).args(quiet).arg(image))
    }

    pub(crate) fn mount(self, image: &Path, place: &Path) -> Result<(), String> {
        run(Command::new("mount").args(["-t", self.name(), "-o", "loop"]).args([image, place]))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
            Self::Btrfs => "btrfs",
        }
    }

    fn mkfs(self) -> &'static str {
        match self {
            Self::Ext4 => "mkfs.ext4",
            Self::Xfs => "mkfs.xfs",
            Self::Btrfs => "mkfs.btrfs",
        }
    }

    fn megabytes(self) -> u64 {
        match self {
            Self::Ext4 => 16,
            Self::Xfs => 320,
            Self::Btrfs => 128,
        }
    }
}

impl fmt::Display for FileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Runs a command to its end; what it said if that is not a good one.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    output.status.success().then_some(()).ok_or_else(|| format!("{command:?}: {}", said.trim()))
}
