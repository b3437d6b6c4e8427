//! Power cuts on real file systems: a process is killed at a moment, what its disk holds then is copied, and the work
//! goes on with the copy. It needs root, and runs where `DURABLE_POWER=1` asks for it: `scripts/long`.

mod filesystem;
mod loopback;

use std::process::ExitCode;

use durable_runtime::testing::{KillLab, LabVerdict, Sessions};
use durable_tests::lab::{Bank, Subject};

use filesystem::FileSystem;
use loopback::PowerCut;

fn main() -> ExitCode {
    if std::env::var_os("DURABLE_POWER").is_none() && !FileSystem::ALL.into_iter().any(is_replayed) {
        println!("not measured here: power cuts on real file systems; DURABLE_POWER=1 asks for them, as root");
        return ExitCode::SUCCESS;
    }
    let broken: Vec<_> = FileSystem::ALL.into_iter().filter(|&filesystem| !holds(filesystem)).collect();
    if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether the environment asks for one power cut on this file system alone.
fn is_replayed(filesystem: FileSystem) -> bool {
    std::env::var("DURABLE_REPLAY").is_ok_and(|wanted| wanted.starts_with(&format!("real:{filesystem}-")))
}

/// Whether every kind of step survives on this file system. Where it cannot be tried, that is said, and no failure.
fn holds(filesystem: FileSystem) -> bool {
    // The children of the labs below come here too, and try nothing by themselves.
    let is_child = std::env::var_os("DURABLE_REAL_LIFE").is_some();
    if !is_child {
        if let Err(why) = filesystem.usable() {
            println!("not measured here: power cuts on {filesystem}: {why}");
            return true;
        }
        if let Err(why) = loopback::forgets(filesystem) {
            println!("{filesystem}: the harness is broken: {why}");
            return false;
        }
    }
    let ground = PowerCut::new(filesystem);
    let held = Subject::ALL.map(|subject| {
        let lab = KillLab::new(format!("{filesystem}-{subject:?}"), Bank).test("");
        let report =
            lab.real_kills_on(&ground, async |sessions: &Sessions, bank: &Bank| subject.run(sessions, bank).await);
        let is_other = FileSystem::ALL.into_iter().any(is_replayed) && report.points() == 0;
        if is_child || is_other {
            return true;
        }
        println!("{report}");
        report.verdict() <= LabVerdict::InDoubt && report.in_doubt().all(|key| subject.asks().contains(&key))
    });
    held.into_iter().all(|held| held)
}
