//! Processes that are killed for real, by the lab that users have.

use durable_runtime::prelude::*;
use durable_runtime::testing::{KillLab, LabVerdict, RealReport, Sessions};
use durable_tests::lab::{Bank, Stop, Subject};

fn lab(subject: Subject) -> KillLab<Bank> {
    KillLab::new(format!("{subject:?}"), Bank)
}

/// A person is asked where nobody else can tell, and nowhere else.
fn check(subject: Subject, report: &RealReport) {
    println!("{report}");
    assert!(report.verdict() <= LabVerdict::InDoubt, "{report}");
    let mut asked: Vec<_> = subject.asks().to_vec();
    asked.sort_unstable();
    assert_eq!(report.in_doubt().collect::<Vec<_>>(), asked, "{report}");
    assert!(report.points() > 50, "{report}");
}

#[test]
fn two_payments_survive_a_real_kill_at_every_moment() {
    let subject = Subject::Repeatable;
    let report =
        lab(subject).real_kills_sessions(async |sessions: &Sessions, bank: &Bank| subject.run(sessions, bank).await);
    report.assert_held();
    check(subject, &report);
}

#[test]
fn every_kind_of_step_survives_a_real_kill_at_every_moment() {
    let reports = Subject::ALL.map(|subject| {
        let work = async |sessions: &Sessions, bank: &Bank| subject.run(sessions, bank).await;
        lab(subject).real_kills_sessions(work)
    });
    for (subject, report) in Subject::ALL.into_iter().zip(&reports) {
        check(subject, report);
    }
}

/// It takes minutes: `scripts/long` has the feature that it needs.
#[cfg(feature = "long")]
#[test]
fn every_kind_of_step_survives_a_kill_or_an_error_at_every_system_call() {
    let reports = Subject::ALL.map(|subject| {
        let work = async |sessions: &Sessions, bank: &Bank| subject.run(sessions, bank).await;
        lab(subject).strace_kills_sessions(work)
    });
    for (subject, report) in Subject::ALL.into_iter().zip(&reports) {
        if report.not_measured_here().is_empty() {
            check(subject, report);
        }
    }
}

/// One of the two payments is made outside of any step.
#[durable_workflow(goal = "pay two, and one of them carelessly")]
async fn careless(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    let bonus: u64 = bank.0.apply("bonus", || 5).await?;
    #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
    let paid = bank.pay(pay, 7).await?;
    Ok(paid + bonus)
}

#[test]
fn a_real_kill_finds_an_effect_outside_of_a_step() {
    let lab = KillLab::new("careless", Bank);
    let report = lab.real_kills(async |session, bank| careless(session, bank).await);
    let text = report.to_string();
    assert_eq!(report.verdict(), LabVerdict::Broken, "{text}");
    assert!(text.contains("`bonus` happened 2 times, and once where nothing befell"), "{text}");
    assert!(text.contains("DURABLE_REPLAY='real:careless:kill@"), "{text}");
}

#[test]
fn a_kill_at_a_system_call_finds_an_effect_outside_of_a_step() {
    let lab = KillLab::new("careless", Bank);
    let report = lab.strace_kills(async |session, bank| careless(session, bank).await);
    if report.not_measured_here().is_empty() {
        assert_eq!(report.verdict(), LabVerdict::Broken, "{report}");
    }
}

#[test]
fn work_that_another_process_does_otherwise_is_no_measurement() {
    let lab = KillLab::new("home", Bank);
    let report = lab.real_kills(async |_, _: &Bank| Ok::<_, Stop>(std::process::id()));
    assert_eq!(report.verdict(), LabVerdict::HarnessBroken, "{report}");
}

#[test]
fn a_child_that_never_comes_to_the_lab_is_no_measurement() {
    let lab = KillLab::new("nowhere", Bank).test("no::such::test");
    let report = lab.real_kills(async |_, _: &Bank| Ok::<_, Stop>(1));
    assert_eq!(report.verdict(), LabVerdict::HarnessBroken, "{report}");
    assert!(report.to_string().contains("is `no::such::test` the path of the test"), "{report}");
}
