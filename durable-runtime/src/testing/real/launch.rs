//! Starting a child.
#![expect(clippy::disallowed_methods, reason = "the room that starts processes: children of a lab")]

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use rustix::process::Signal;

use super::orders::{Orders, Said};
use super::place::Root;

/// Starts this program anew, up to the call of the lab.
#[derive(Clone, Debug)]
pub(super) struct Launcher {
    pub(super) lab: String,
    /// The path of the test; empty for a program that is no test.
    pub(super) test: String,
    program: PathBuf,
}

/// How a child ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By SIGKILL.
    Killed,
    /// By itself.
    Lived(Said),
}

impl Launcher {
    /// For the test that is running, which libtest names its thread after.
    pub(super) fn of(lab: &str, test: Option<&str>) -> Result<Self, String> {
        let thread = std::thread::current();
        let found = test.or_else(|| thread.name().filter(|name| *name != "main"));
        let test = found.ok_or("which test this is cannot be told from its thread; give the lab its path with `.test(\"path::of::the_test\")`, or `.test(\"\")` for a program that is no test")?;
        let program =
            std::env::current_exe().map_err(|error| format!("this program does not know its file: {error}"))?;
        Ok(Self { lab: lab.to_owned(), test: test.to_owned(), program })
    }

    /// Runs a child to its end, under `tracer` if that is not empty.
    pub(super) fn run(&self, orders: &Orders, tracer: &[String]) -> Result<Ended, String> {
        let root = Root::at(&orders.root);
        let orders = serde_json::to_string(orders).map_err(|error| error.to_string())?;
        let mut command = self.command(tracer);
        command.env(Orders::VARIABLE, orders).stdin(Stdio::null());
        let output = command.output().map_err(|error| format!("no child could be started: {error}"))?;
        let (said, is_killed) = (root.hear(), output.status.signal() == Some(Signal::KILL.as_raw()));
        match said {
            Some(said) if output.status.success() => Ok(Ended::Lived(said)),
            None if is_killed => Ok(Ended::Killed),
            _ => Err(self.broken(&output)),
        }
    }

    /// What starts the test alone, in a shell.
    pub(super) fn again(&self) -> String {
        if self.test.is_empty() {
            return self.program.display().to_string();
        }
        format!("cargo test {} -- --exact --include-ignored --nocapture", self.test)
    }

    fn command(&self, tracer: &[String]) -> Command {
        let mut command = match tracer.split_first() {
            Some((program, args)) => {
                let mut command = Command::new(program);
                command.args(args).arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        };
        if !self.test.is_empty() {
            command.args([&self.test, "--exact", "--include-ignored", "--nocapture", "--test-threads=1"]);
        }
        command
    }

    fn broken(&self, output: &Output) -> String {
        let text = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).trim().to_owned());
        let text = text.join("\n");
        let tail: Vec<_> = text.lines().rev().take(12).collect();
        let tail: Vec<_> = tail.into_iter().rev().collect();
        format!(
            "a child ended ({}) and never came to the lab; is `{}` the path of the test, and does it come to the lab \
             whatever the labs before it have found? It said:\n{}",
            output.status,
            self.test,
            tail.join("\n")
        )
    }
}
