//! The demo's children: this very program, started again as bank or worker.

use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// A running child. It is killed when this is dropped.
pub(crate) struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    /// Starts `four_payments <role> --dir <dir> <args>`.
    pub(crate) fn start(role: &str, dir: &Path, args: impl IntoIterator<Item = String>) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(role).arg("--dir").arg(dir).arg("--with-parent").args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().with_context(|| format!("the {role} cannot be started"))?;
        let stdout = child.stdout.take().context("the child has no standard output")?;
        Ok(Self { child, lines: BufReader::new(stdout).lines() })
    }

    /// The next line that it prints; `None` when it has ended.
    pub(crate) async fn line(&mut self) -> anyhow::Result<Option<String>> {
        Ok(self.lines.next_line().await?)
    }

    /// `kill -9`: no handler runs, nothing is flushed. Gives the id of the process that is no more.
    pub(crate) async fn kill(mut self) -> anyhow::Result<u32> {
        let id = self.child.id().context("it ended before it could be killed")?;
        self.child.kill().await?;
        Ok(id)
    }

    /// Waits for its end, which must be a good one.
    pub(crate) async fn finish(mut self, role: &str) -> anyhow::Result<()> {
        let status = self.child.wait().await?;
        ensure!(status.success(), "the {role} did not finish: {status}");
        Ok(())
    }
}

/// In the child: ends it when its standard input closes. The demo holds the other end, and the system closes that even
/// for a demo that was killed, so that no child outlives it.
pub(crate) fn end_with_parent() {
    std::thread::spawn(|| {
        let mut rest = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut rest);
        std::process::exit(1);
    });
}
