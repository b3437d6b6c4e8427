//! A process that is killed.

use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use durable_tests::orders::{Orders, Report};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// A victim that is running. It is killed when this is dropped.
pub(crate) struct Victim {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    last: Option<String>,
}

/// How a victim ended.
#[derive(Debug)]
pub(crate) struct End {
    status: ExitStatus,
    /// What it reported, if it lived to the end.
    pub(crate) report: Option<Report>,
    /// What it said on standard error.
    pub(crate) stderr: String,
}

impl Victim {
    pub(crate) fn start(orders: &Orders) -> Self {
        let orders = serde_json::to_string(orders).expect("orders are plain data");
        let mut command = Command::new(env!("CARGO_BIN_EXE_victim"));
        command.arg(orders).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the victim can be started");
        let stdout = child.stdout.take().expect("its output is piped");
        Self { child, lines: BufReader::new(stdout).lines(), last: None }
    }

    /// Its next line; `None` when it has ended.
    pub(crate) fn line(&mut self) -> Option<String> {
        let line = self.lines.next()?.expect("its output is text");
        self.last = Some(line.clone());
        Some(line)
    }

    /// Reads on until it has said this.
    pub(crate) fn wait_for(&mut self, wanted: &str) {
        let is_said = std::iter::from_fn(|| self.line()).any(|line| line == wanted);
        assert!(is_said, "the victim ended without saying {wanted:?}: {}", self.stderr());
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// SIGSTOP; returns when it stands still, with every thread.
    pub(crate) fn freeze(&self) {
        kill_process(self.pid(), Signal::STOP).expect("the victim is there");
        let status = waitpid(Some(self.pid()), WaitOptions::UNTRACED).expect("the victim is ours");
        assert!(status.is_some_and(|(_, status)| status.stopped()), "the victim did not stop");
    }

    /// SIGCONT.
    pub(crate) fn thaw(&self) {
        kill_process(self.pid(), Signal::CONT).expect("the victim is there");
    }

    /// Lets it go on from where it waits.
    pub(crate) fn let_go(&mut self) {
        self.child.stdin = None;
    }

    /// SIGKILL, whatever it is doing; it may have ended before.
    pub(crate) fn kill(mut self) -> End {
        self.child.kill().expect("the victim is ours");
        self.end()
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> End {
        while self.line().is_some() {}
        let status = self.child.wait().expect("the victim is ours");
        let report = self.last.as_deref().and_then(|line| serde_json::from_str(line).ok());
        End { status, report, stderr: self.stderr() }
    }

    fn stderr(&mut self) -> String {
        let mut text = String::new();
        let stderr = self.child.stderr.as_mut().expect("its errors are piped");
        stderr.read_to_string(&mut text).expect("its errors are text");
        text
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        // One that has ended already needs neither.
        self.child.kill().and_then(|()| self.child.wait()).ok();
    }
}

impl End {
    pub(crate) fn was_killed(&self) -> bool {
        self.status.signal() == Some(Signal::KILL.as_raw())
    }

    /// Its exit code; `None` if it was killed.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// What the workflow returned, if it did.
    pub(crate) fn result(&self) -> Option<&[u64]> {
        self.report.as_ref()?.result.as_deref()
    }
}
