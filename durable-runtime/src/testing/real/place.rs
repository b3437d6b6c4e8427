//! Where the sessions of a real trial are, and what is around them.
#![expect(clippy::disallowed_methods, reason = "the room of a trial; the sessions in it go through their disk")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::orders::Said;
use crate::store::files::{CountingDisk, Disk, RealDisk};
use crate::testing::lab::baseline::session_id;
use crate::testing::machine::Machine;

/// Where a child keeps its sessions.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    sessions: PathBuf,
    is_inline: bool,
}

impl Place {
    pub(super) fn new(sessions: PathBuf, is_inline: bool) -> Self {
        Self { sessions, is_inline }
    }

    /// The disk of one session, on which the plan of this machine befalls the process.
    pub(crate) fn disk(&self, machine: &Arc<Machine>, name: &str) -> Arc<dyn Disk> {
        let (machine, session) = (Arc::clone(machine), name.to_owned());
        let disk = CountingDisk::calling(RealDisk::new(self.sessions.join(name)), move |call| {
            machine.before(call.operation, format!("{session}/{}", call.file));
            Ok(())
        });
        Arc::new(disk.with_id(session_id(name)).inline(self.is_inline))
    }
}

/// What the sessions of a trial stand on.
#[doc(hidden)]
pub trait Ground: Sync {
    /// What is done to a process, in words.
    fn deed(&self) -> &'static str;

    /// Prepares the empty directory in which the sessions will be.
    ///
    /// # Errors
    ///
    /// Fails if there can be no trial.
    fn begin(&self, sessions: &Path) -> io::Result<()>;

    /// A process was killed, and the next one is not up yet.
    ///
    /// # Errors
    ///
    /// Fails if the trial cannot go on.
    fn struck(&self, sessions: &Path) -> io::Result<()>;

    /// Whether a reader finds the files as the process has left them.
    fn is_kept(&self) -> bool;

    /// The trial is over, or has failed.
    fn end(&self, sessions: &Path);
}

/// A directory in memory if there is one: to a kill, what is written is written.
pub(super) struct Memory;

impl Ground for Memory {
    fn deed(&self) -> &'static str {
        "kill"
    }

    fn begin(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn struck(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn is_kept(&self) -> bool {
        true
    }

    fn end(&self, _: &Path) {}
}

/// The directory of a trial, by what is in it.
#[derive(Clone, Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// A new one, removed with what is returned beside it.
    pub(super) fn new() -> io::Result<(Self, TempDir)> {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let directory = tempfile::Builder::new().prefix("kill-lab-").tempdir_in(fs::canonicalize(place)?)?;
        let root = Self(directory.path().to_owned());
        fs::create_dir(root.sessions())?;
        Ok((root, directory))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn sessions(&self) -> PathBuf {
        self.0.join(SESSIONS)
    }

    pub(super) fn world(&self) -> PathBuf {
        self.0.join(WORLD)
    }

    /// Where a tracer writes what it saw.
    pub(super) fn traced(&self) -> PathBuf {
        self.0.join("strace.log")
    }

    /// Says how a life ended. Only its parent reads it, and only when the process is gone.
    pub(super) fn say(&self, said: &Said) {
        let text = serde_json::to_string(said).expect("it is plain data");
        fs::write(self.0.join(SAID), text).expect("the directory of a trial can be written");
    }

    /// What a child said in the end, if it did. It says it once.
    pub(super) fn hear(&self) -> Option<Said> {
        let path = self.0.join(SAID);
        let said = serde_json::from_slice(&fs::read(&path).ok()?).ok();
        fs::remove_file(path).ok();
        said
    }

    pub(super) fn log(&self) -> String {
        fs::read(self.traced()).map(|log| String::from_utf8_lossy(&log).into_owned()).unwrap_or_default()
    }

    /// The files of every session.
    pub(super) fn files(&self) -> io::Result<Vec<Found>> {
        let mut files = Vec::new();
        for session in fs::read_dir(self.sessions())? {
            let session = session?;
            if !session.file_type()?.is_dir() {
                continue;
            }
            let name = session.file_name().to_string_lossy().into_owned();
            collect(&name, "", &session.path(), &mut files)?;
        }
        Ok(files)
    }
}

/// Adds the files of a directory of a session, and of those in it. `within` is where that stands in the session.
fn collect(session: &str, within: &str, directory: &Path, files: &mut Vec<Found>) -> io::Result<()> {
    for file in fs::read_dir(directory)? {
        let file = file?;
        let name = format!("{within}{}", file.file_name().to_string_lossy());
        if file.file_type()?.is_dir() {
            collect(session, &format!("{name}/"), &file.path(), files)?;
        } else {
            files.push(Found { session: session.to_owned(), name, content: fs::read(file.path())? });
        }
    }
    Ok(())
}

/// A file of a session.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) session: String,
    pub(super) name: String,
    pub(super) content: Vec<u8>,
}

/// The directory of the sessions, in that of a trial.
pub(super) const SESSIONS: &str = "sessions";

/// The book of the world.
pub(super) const WORLD: &str = "world.jsonl";

/// What a child says in the end.
const SAID: &str = "life.json";
