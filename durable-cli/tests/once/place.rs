//! A directory with a session in it, and the commands that are called there.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// An empty directory, and in it the session `s` once a command begins it.
pub(crate) struct Place(TempDir);

impl Place {
    /// Nothing is begun yet.
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().expect("a directory for the test"))
    }

    /// A session with a goal.
    pub(crate) fn booted() -> Self {
        let place = Self::empty();
        let booted = place.durable(["boot", "--goal", "pay what is due"]);
        assert!(booted.status.success(), "{}", told(&booted));
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// What a file says; nothing if it is missing.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_default()
    }

    /// The command, to be started.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_durable"));
        command.args(args).stdin(Stdio::null());
        self.at(&mut command);
        command
    }

    /// The command with interrupts as a terminal has them: whoever starts the tests in the background has them ignored, and so
    /// would the command. `None` where nothing here can set that right.
    pub(crate) fn interruptible<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Option<Command> {
        const DEFAULT: &str = "--default-signal=INT";
        let can = Command::new("env").args([DEFAULT, "true"]).stderr(Stdio::null()).status();
        let mut command = Command::new("env");
        command.args([DEFAULT, env!("CARGO_BIN_EXE_durable")]).args(args).stdin(Stdio::null());
        self.at(&mut command);
        can.is_ok_and(|status| status.success()).then_some(command)
    }

    /// A shell script that finds the command as `durable`.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        self.at(&mut command);
        command
    }

    fn at(&self, command: &mut Command) {
        let bin = Path::new(env!("CARGO_BIN_EXE_durable")).parent().expect("the command stands in a directory");
        let path = std::env::var("PATH").unwrap_or_default();
        command.current_dir(self.path()).env("PATH", format!("{}:{path}", bin.display()));
        command.env("DURABLE_SESSION", "s").env_remove("DURABLE_KEY").env_remove("DURABLE_TOKEN");
    }

    pub(crate) fn durable<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Output {
        self.command(args).output().expect("the command starts")
    }

    /// One effect by `sh -c script`.
    pub(crate) fn once(&self, key: &str, options: &[&str], script: &str) -> Output {
        self.durable([&["once", "--key", key], options, &["--", "sh", "-c", script]].concat())
    }

    /// The same, and its answer for a program.
    pub(crate) fn once_json(&self, key: &str, options: &[&str], script: &str) -> (Output, Value) {
        let output = self.once(key, &[&["--json"], options].concat(), script);
        let answer = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {}", told(&output)));
        (output, answer)
    }

    /// What the journal says of a kind.
    pub(crate) fn records(&self, action: &str) -> Vec<Value> {
        let journal = self.read("s/journal.jsonl");
        // What is being written has no end yet.
        let whole = journal.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let records = whole.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
        records.filter(|record| record["action"] == action).collect()
    }

    /// Whether somebody holds the session.
    pub(crate) fn is_held(&self) -> bool {
        self.durable(["checkpoint", "to see who holds it"]).status.code() == Some(77)
    }

    /// Waits until a condition holds, which an event brings about.
    pub(crate) fn until(&self, mut holds: impl FnMut(&Self) -> bool) {
        while !holds(self) {
            std::thread::yield_now();
        }
    }
}

/// The exit code.
pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("ended by a signal: {}", told(output)))
}

/// Everything that a call has printed.
pub(crate) fn told(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{}\n{out}\n{err}", output.status)
}

/// What it has printed on standard output.
pub(crate) fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What it has printed on standard error.
pub(crate) fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
