//! What the short stories share: a worker, which is the same program started once more, and a real `kill -9`.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};

/// The word on the command line that makes the program its own worker.
const WORKER: &str = "worker";

/// The directory of the story, if this process is the worker.
pub(crate) fn worker_in() -> Option<PathBuf> {
    let mut args = std::env::args_os().skip(1);
    (args.next()? == WORKER).then(|| args.next().map(PathBuf::from))?
}

/// Starts the worker and lets it be killed at this moment, see [`moment`].
pub(crate) fn killed_at(moment: &str, dir: &Path) -> anyhow::Result<()> {
    let status = worker(dir).env("KILL_AT", moment).status()?;
    let signal = status.signal().with_context(|| format!("the worker was to be killed, and ended with {status}"))?;
    println!("\n== The worker was killed with signal {signal}, {moment}. It left this handoff:\n");
    println!("{}", std::fs::read_to_string(dir.join("session/handoff.md"))?.trim_end());
    Ok(())
}

/// Starts the worker, which must end well.
pub(crate) fn goes_on(dir: &Path) -> anyhow::Result<()> {
    println!("\n== A fresh worker boots:\n");
    let status = worker(dir).env_remove("KILL_AT").status()?;
    ensure!(status.success(), "the fresh worker did not finish: {status}");
    Ok(())
}

/// Starts the worker, which must end because it waits for a person.
#[allow(dead_code, reason = "not every story has a person in it")]
pub(crate) fn waits(dir: &Path) -> anyhow::Result<()> {
    let status = worker(dir).env_remove("KILL_AT").status()?;
    ensure!(status.code() == Some(79), "the worker was to wait, and ended with {status}");
    Ok(())
}

fn worker(dir: &Path) -> Command {
    // `current_exe` fails only where the system does not tell it; the name it was called by does then.
    let program = std::env::current_exe().unwrap_or_else(|_| std::env::args_os().next().unwrap_or_default().into());
    let mut command = Command::new(program);
    command.arg(WORKER).arg(dir);
    command
}

/// In the worker: is killed here if this is the moment. No handler runs, and nothing is flushed.
pub(crate) fn moment(name: &str) -> anyhow::Result<()> {
    if std::env::var("KILL_AT").is_ok_and(|moment| moment == name) {
        Command::new("sh").args(["-c", &format!("kill -9 {}", std::process::id())]).status()?;
        bail!("kill -9 has not killed this process");
    }
    Ok(())
}

/// How often a record of the journal has both of these fields.
pub(crate) fn records(dir: &Path, action: &str, key: &str) -> anyhow::Result<usize> {
    let journal = std::fs::read_to_string(dir.join("session/journal.jsonl"))?;
    let records = journal.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    Ok(records.filter(|record| record["action"] == action && record["key"] == key).count())
}
