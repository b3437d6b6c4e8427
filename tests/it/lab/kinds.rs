//! Every kind of step there is, killed everywhere.

use durable_runtime::prelude::*;
use durable_runtime::testing::{KillLab, Sessions, Verdict};

use super::world::{Bank, Stop};

#[durable_workflow(goal = "pay {n} people")]
async fn verified(session: &Session, #[resource] bank: &Bank, n: u64) -> Result<u64, Stop> {
    let mut total = 0;
    for i in 0..n {
        #[side_effect(key = "pay/{i}" as pay, verify = bank.find(pay).await)]
        let paid = bank.pay(pay, i + 1).await?;
        total += paid;
    }
    Ok(total)
}

#[durable_workflow(goal = "pay twice, with a token")]
async fn repeatable(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[side_effect(key = "debit" as debit, idempotent)]
    let debit = bank.pay_once(debit, 3).await?;
    #[side_effect(key = "credit" as credit, idempotent)]
    let credit = bank.pay_once(credit, 4).await?;
    Ok(debit + credit)
}

#[durable_workflow(goal = "send what nobody can look up")]
async fn doubtful(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[side_effect(key = "mail" as mail, in_doubt = "treasury")]
    let mail = bank.pay(mail, 1).await?;
    #[side_effect(key = "letter" as letter, in_doubt = "treasury")]
    let letter = bank.pay(letter, 2).await?;
    Ok(mail + letter)
}

#[durable_workflow(goal = "one step of each kind")]
async fn mixed(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[read(key = "rate")]
    let rate = u64::from(3_u8);
    #[side_effect(key = "debit" as debit, verify = bank.find(debit).await, settle = "5s")]
    let debit = bank.pay(debit, rate).await?;
    #[side_effect(key = "credit" as credit, idempotent)]
    let credit = bank.pay_once(credit, debit).await?;
    #[side_effect(key = "mail" as mail, in_doubt = "office")]
    let mail = bank.pay(mail, 1).await?;
    Ok(credit + mail)
}

#[durable_workflow(goal = "pay side by side")]
async fn side_by_side(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    let (left, middle, right) = tokio::join!(
        async {
            #[side_effect(key = "left" as left, verify = bank.find(left).await)]
            let paid = bank.pay(left, 1).await?;
            Ok::<_, Stop>(paid)
        },
        async {
            #[side_effect(key = "middle" as middle, idempotent)]
            let paid = bank.pay_once(middle, 2).await?;
            Ok::<_, Stop>(paid)
        },
        async {
            #[side_effect(key = "right" as right, verify = bank.find(right).await)]
            let paid = bank.pay(right, 4).await?;
            Ok::<_, Stop>(paid)
        },
    );
    Ok(left? + middle? + right?)
}

#[durable_workflow(goal = "a run inside a run")]
async fn nested(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    let inner = verified(session, bank, 2).await?;
    #[side_effect(key = "last" as last, verify = bank.find(last).await)]
    let last = bank.pay(last, 10).await?;
    Ok(inner + last)
}

#[test]
fn steps_with_a_verifier_hold() {
    let lab = KillLab::new("verified", Bank);
    let report = lab.run(async |session, bank| verified(session, bank, 3).await);
    report.assert_held();
    insta::assert_snapshot!(report.table());
}

#[test]
fn idempotent_steps_hold() {
    KillLab::new("repeatable", Bank).run(async |session, bank| repeatable(session, bank).await).assert_held();
}

#[test]
fn steps_of_which_only_a_person_can_tell_end_in_doubt_and_never_happen_twice() {
    let report = KillLab::new("doubtful", Bank).run(async |session, bank| doubtful(session, bank).await);
    assert_eq!(report.verdict(), Verdict::InDoubt);
    report.assert_asks_only(&["doubtful//mail", "doubtful//letter"]);
    assert_eq!(report.in_doubt().collect::<Vec<_>>(), ["doubtful//letter", "doubtful//mail"]);
}

#[test]
fn a_mixed_workflow_asks_only_about_the_step_that_nobody_can_look_up() {
    let report = KillLab::new("mixed", Bank).run(async |session, bank| mixed(session, bank).await);
    report.assert_asks_only(&["mixed//mail"]);
}

#[test]
fn steps_that_run_side_by_side_hold_in_every_order_that_was_tried() {
    let report = KillLab::new("side by side", Bank).run(async |session, bank| side_by_side(session, bank).await);
    report.assert_held();
    assert!(report.not_covered().any(|text| text.contains("side by side")), "{report}");
}

#[test]
fn a_run_inside_a_run_holds() {
    KillLab::new("nested", Bank).run(async |session, bank| nested(session, bank).await).assert_held();
}

#[test]
fn two_sessions_of_one_process_hold() {
    let report = KillLab::new("two sessions", Bank).run_sessions(async |sessions: &Sessions, bank: &Bank| {
        let (first, second) = (sessions.open("first").await?, sessions.open("second").await?);
        let (first, second) = tokio::join!(repeatable(&first, bank), repeatable(&second, bank));
        Ok::<_, Stop>(first? + second?)
    });
    report.assert_held();
}
