//! Sessions to look at, and the command that looks.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use tempfile::TempDir;

/// What earlier commits wrote, in the order in which they are looked at.
pub(crate) const FIXTURES: [&str; 9] = [
    "asked",
    "errors_recorded",
    "finished",
    "in_doubt",
    "in_the_middle",
    "named_runs",
    "noted",
    "trimmed",
    "waiting_for_settle",
];

/// A directory to work in, with these sessions in it.
pub(crate) struct World(TempDir);

/// What a run of the command gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl World {
    /// With a copy of each of these sessions, under its own name.
    pub(crate) fn with(fixtures: &[&str]) -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        fixtures.iter().for_each(|name| world.copy(name, name));
        world
    }

    /// Puts a copy of a session there, as its owner's alone.
    pub(crate) fn copy(&self, fixture: &str, name: &str) {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/fixtures/format-1-{fixture}"));
        self.copy_from(&from, name);
    }

    /// Puts a copy of the session `from`, which stands there, beside it.
    pub(crate) fn clone_of(&self, from: &str, name: &str) {
        self.copy_from(&self.path(from), name);
    }

    fn copy_from(&self, from: &Path, name: &str) {
        let to = self.path(name);
        fs::create_dir(&to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            if entry.metadata().unwrap().is_dir() {
                continue;
            }
            let file = to.join(entry.file_name());
            fs::write(&file, fs::read(entry.path()).unwrap()).unwrap();
            fs::set_permissions(file, Permissions::from_mode(0o600)).unwrap();
        }
        fs::set_permissions(to, Permissions::from_mode(0o700)).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs the command there.
    pub(crate) fn durable(&self, args: &[&str]) -> Ran {
        run(Command::new(env!("CARGO_BIN_EXE_durable")).args(args).current_dir(self.0.path()))
    }

    /// Starts the command there; what it says is read while it runs.
    pub(crate) fn piped(&self, args: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_durable"));
        let command = command.args(args).current_dir(self.0.path()).env_remove("DURABLE_SESSION");
        command.stdout(Stdio::piped()).spawn().unwrap()
    }

    /// Runs a line in a shell that stands in this directory, as a person types it.
    pub(crate) fn typed(&self, directory: &str, line: &str) -> Ran {
        let bin = Path::new(env!("CARGO_BIN_EXE_durable")).parent().unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        run(Command::new("bash").args(["-c", line]).env("PATH", path).current_dir(self.path(directory)))
    }

    /// Every file: what it holds, and when it was written. Of a directory, when it was.
    pub(crate) fn bytes(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut all = BTreeMap::new();
        let mut dirs = vec![self.0.path().to_owned()];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(&dir).unwrap() {
                let entry = entry.unwrap();
                let found = entry.metadata().unwrap();
                let bytes = if found.is_dir() { Vec::new() } else { fs::read(entry.path()).unwrap() };
                all.insert(entry.path(), (bytes, found.modified().unwrap()));
                if found.is_dir() {
                    dirs.push(entry.path());
                }
            }
        }
        all
    }
}

fn run(command: &mut Command) -> Ran {
    let output = command.env_remove("DURABLE_SESSION").env_remove("NO_COLOR").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).expect("it speaks UTF-8");
    let code = output.status.code().expect("nobody kills it");
    Ran { code, out: text(output.stdout), err: text(output.stderr) }
}

impl Ran {
    /// What it said, all of it, with the exit code; the same on systems that do not tell who holds a lock.
    pub(crate) fn told(&self) -> String {
        let Self { code, out, err } = self;
        let blind = "this system does not tell whether one runs";
        format!("{}{err}[{code}]\n", out.replace(blind, "none is seen on this machine"))
    }

    /// What it said, where it did what it was asked for.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// Why it did not do what it was asked for.
    #[track_caller]
    pub(crate) fn refused(self, code: i32) -> String {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self.err
    }

    /// What it said for programs.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }
}
