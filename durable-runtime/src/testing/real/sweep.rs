//! Every moment at which a child is struck: several at a time, told in their order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::lab::Lab;
use super::report::RealReport;
use super::strace;
use super::strike::Strike;
use super::trial::{Outcome, Trial, strike};
use crate::testing::story::{Moment, When};

/// Kills at every operation of the disk, and in every window of every call.
pub(super) fn kills(lab: &Lab<'_>, report: &mut RealReport) -> Result<(), String> {
    report.leave_out("requests that land after their sender has died: the lab on the simulated machine has them");
    if lab.ground.is_kept() {
        report.leave_out("power cuts: the lab on the simulated machine has them");
    }
    all(lab, report, || Ok(moments(lab)))
}

/// Kills at every system call that touches the trial, and errors of those that touch a session.
pub(super) fn syscalls(lab: &Lab<'_>, report: &mut RealReport) -> Result<(), String> {
    report.leave_out("system calls that touch neither a session nor the world: to a disk they are no moments");
    all(lab, report, || strace::strikes(lab))
}

fn moments(lab: &Lab<'_>) -> Vec<Strike> {
    let operations = (0..lab.undisturbed.operations.len() as u64).map(When::Operation);
    let windows = [Moment::Sent, Moment::Applied, Moment::Answered];
    let calls = (0..lab.undisturbed.calls).flat_map(|call| windows.map(|moment| When::Call(call, moment)));
    operations.chain(calls).map(Strike::Kill).collect()
}

/// All strikes, or the one that is to be replayed.
fn all(
    lab: &Lab<'_>,
    report: &mut RealReport,
    strikes: impl FnOnce() -> Result<Vec<Strike>, String>,
) -> Result<(), String> {
    report.knows(lab);
    if let Some(text) = report.replayed() {
        return replay(lab, report, &text);
    }
    for outcome in outcomes(lab, &strikes()?) {
        report.note(outcome?);
    }
    Ok(())
}

/// One strike, told with every life; its files are kept.
fn replay(lab: &Lab<'_>, report: &mut RealReport, text: &str) -> Result<(), String> {
    let mut trial = Trial::begin(lab)?;
    let outcome = trial.befall(&text.parse()?)?;
    for (number, life) in outcome.lives.iter().enumerate() {
        eprintln!("  life {}: {life}", number + 1);
    }
    if let Some(kept) = trial.keep() {
        eprintln!("  files: {kept}");
    }
    report.note(outcome);
    Ok(())
}

fn outcomes(lab: &Lab<'_>, strikes: &[Strike]) -> Vec<Result<Outcome, String>> {
    let next = AtomicUsize::new(0);
    let found: Vec<_> = strikes.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some((at, slot)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, found.get(at)?)))
        {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(strike(lab, &strikes[at]));
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let taken = found.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
    taken.collect()
}
