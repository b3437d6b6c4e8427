//! `strace` as the killer: it stops a process at a system call, and kills it there or gives an error.
//!
//! strace counts by thread, so a child does all that touches its sessions and its world on one; and it looks only at
//! the calls that touch these, by path, so that nothing else is counted.
#![expect(clippy::disallowed_methods, reason = "whether there is a strace is found out by starting it")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::lab::Lab;
use super::place::{Root, WORLD};
use super::strike::{Injected, Strike};
use super::trial::Trial;

/// What strace writes behind a call that it gave an error.
pub(super) const INJECTED: &str = "(INJECTED)";

/// The calls that a broken or a full disk refuses.
const FAILING: [&str; 14] = [
    "creat",
    "fchmod",
    "fdatasync",
    "fsync",
    "ftruncate",
    "mkdir",
    "open",
    "openat",
    "pwrite64",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "write",
];

/// Why nothing can be traced here, if so.
pub(super) fn ability() -> Result<(), String> {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o", "/dev/null", "true"]).stdin(Stdio::null());
    match strace.output() {
        Err(error) => Err(format!("strace cannot be started ({error}); install it")),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!(
            "strace must not trace here ({}); allow ptrace",
            String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("it does not say why")
        )),
    }
}

/// Every strike of a sweep: a kill at each call, and two errors at each that can fail.
pub(super) fn strikes(lab: &Lab<'_>) -> Result<Vec<Strike>, String> {
    let all = counted(lab, true)?;
    let of_sessions = counted(lab, false)?;
    let each = |counts: &BTreeMap<String, u64>, what: Injected| -> Vec<Strike> {
        let calls = counts.iter().flat_map(|(name, &count)| (1..=count).map(move |nth| (name, nth)));
        calls.map(|(name, nth)| Strike::Syscall { name: name.clone(), nth, what }).collect()
    };
    let mut failing = of_sessions;
    failing.retain(|name, _| FAILING.contains(&name.as_str()));
    Ok([each(&all, Injected::Kill), each(&failing, Injected::Eio), each(&failing, Injected::Enospc)].concat())
}

/// The command that brings a strike about; nothing for one that the child brings about itself.
pub(super) fn tracer(lab: &Lab<'_>, root: &Root, strike: &Strike) -> Vec<String> {
    let Strike::Syscall { name, nth, what } = strike else { return Vec::new() };
    let mut command = command(root, name, paths(lab, *what == Injected::Kill));
    command.extend(["-e".to_owned(), format!("inject={name}:{}:when={nth}", what.option()), "--".to_owned()]);
    command
}

/// How many calls of each name an undisturbed life makes to these paths.
fn counted(lab: &Lab<'_>, with_world: bool) -> Result<BTreeMap<String, u64>, String> {
    let mut trial = Trial::begin(lab)?;
    let log = trial.watched(|root| {
        let mut command = command(root, "%file,%desc", paths(lab, with_world));
        command.push("--".to_owned());
        command
    })?;
    let calls: Vec<_> = log.lines().filter_map(call).collect();
    let threads: BTreeSet<_> = calls.iter().map(|(thread, _)| thread).collect();
    if threads.len() != 1 {
        return Err(format!("{} threads touch the session, and strace counts by thread", threads.len()));
    }
    let mut counts = BTreeMap::new();
    for (_, name) in calls {
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    Ok(counts)
}

fn command(root: &Root, calls: &str, paths: impl Iterator<Item = PathBuf>) -> Vec<String> {
    let mut command = ["strace", "-f", "-qq", "-o"].map(str::to_owned).to_vec();
    command.push(root.traced().display().to_string());
    command.extend(["-e".to_owned(), format!("trace={calls}")]);
    for path in paths {
        command.extend(["-P".to_owned(), root.path().join(path).display().to_string()]);
    }
    command
}

fn paths(lab: &Lab<'_>, with_world: bool) -> impl Iterator<Item = PathBuf> {
    lab.touched.iter().cloned().chain(with_world.then(|| PathBuf::from(WORLD)))
}

/// Thread and name of the call that a line of a log tells of.
fn call(line: &str) -> Option<(&str, &str)> {
    let (thread, call) = line.split_once(' ')?;
    let (name, _) = call.trim_start().split_once('(')?;
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then_some((thread, name))
}
