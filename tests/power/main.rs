//! Power cuts on real file systems: a process is killed at a moment, what its disk holds then is copied, and the work
//! goes on with the copy. It needs root, and runs where `DURABLE_POWER=1` asks for it: `scripts/long`.

mod filesystem;
mod loopback;

use std::process::ExitCode;

use durable_runtime::testing::{KillLab, Verdict};
use durable_tests::kinds::Kind;

use filesystem::FileSystem;
use loopback::PowerCut;

fn main() -> ExitCode {
    if std::env::var_os("DURABLE_POWER").is_none() {
        println!("not measured here: power cuts on real file systems; DURABLE_POWER=1 asks for them, as root");
        return ExitCode::SUCCESS;
    }
    let broken: Vec<_> = FileSystem::ALL.into_iter().filter(|&filesystem| !holds(filesystem)).collect();
    if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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
    let held = Kind::ALL.map(|kind| {
        let lab = KillLab::new(format!("{filesystem}-{}", kind.name()), |effects| effects).test("");
        let report = lab.real_kills_on(&ground, async |session, world| kind.run(session, world).await);
        if is_child {
            return true;
        }
        println!("{report}");
        report.verdict() == if kind == Kind::Doubtful { Verdict::InDoubt } else { Verdict::Held }
    });
    held.into_iter().all(|held| held)
}
