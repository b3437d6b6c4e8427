//! Workflows with a planted bug: each is caught, and explained.
use durable_runtime::prelude::*;
use durable_runtime::testing::{KillLab, Report, Verdict};

use super::world::{Bank, Stop};

fn caught(report: &Report, fault: &str, because: &str) {
    let text = report.to_string();
    println!("{text}");
    assert_eq!(report.verdict(), Verdict::Broken, "{text}");
    assert!(text.contains(fault), "{text}");
    assert!(text.contains(because), "{text}");
}

#[test]
fn an_effect_outside_of_any_step() {
    #[durable_workflow(goal = "pay and tell")]
    async fn outside(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
        let paid = bank.pay(pay, 1).await?;
        bank.0.apply("mail", || ()).await?;
        #[side_effect(key = "close" as close, verify = bank.find(close).await)]
        let closed = bank.pay(close, 2).await?;
        Ok(paid + closed)
    }
    let report = KillLab::new("outside", Bank).run(async |session, bank| outside(session, bank).await);
    caught(&report, "`mail` happened 2 times", "no `#[side_effect]` was running when `mail` happened");
}

#[test]
fn a_verifier_that_never_finds_it() {
    #[durable_workflow(goal = "pay")]
    async fn liar(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.0.find::<u64>("another"))]
        let paid = bank.pay(pay, 1).await?;
        Ok(paid)
    }
    let report = KillLab::new("liar", Bank).run(async |session, bank| liar(session, bank).await);
    caught(&report, "`liar//pay` happened 2 times", "the verifier of step `liar//pay` said that it did not happen");
}

#[test]
fn a_verifier_that_always_finds_it() {
    #[durable_workflow(goal = "pay")]
    async fn yes(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay" as pay, verify = Some(1))]
        let paid = bank.pay(pay, 1).await?;
        Ok(paid)
    }
    let report = KillLab::new("yes", Bank).run(async |session, bank| yes(session, bank).await);
    caught(&report, "`yes//pay` never happened", "said that it had happened, and it had not");
}

#[test]
fn a_token_that_is_not_passed() {
    #[durable_workflow(goal = "pay")]
    async fn tokenless(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay", idempotent = "they said so")]
        let paid = bank.0.apply("pay", || 1_u64).await?;
        Ok(paid)
    }
    let report = KillLab::new("tokenless", Bank).run(async |session, bank| tokenless(session, bank).await);
    caught(&report, "`pay` happened 2 times", "pass the token");
}

#[test]
fn a_fallback_after_a_swallowed_error() {
    #[durable_workflow(goal = "pay")]
    async fn fallback(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        let paid = async {
            #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
            let paid = bank.pay(pay, 1).await?;
            Ok::<_, Stop>(paid)
        };
        match paid.await {
            Ok(paid) => Ok(paid),
            Err(_) => Ok(bank.0.apply("cash", || 1_u64).await?),
        }
    }
    let report = KillLab::new("fallback", Bank).run(async |session, bank| fallback(session, bank).await);
    caught(&report, "`cash` happened", "was swallowed");
}

#[test]
fn a_retry_inside_a_step() {
    #[durable_workflow(goal = "pay")]
    async fn retry(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
        let paid = match bank.pay(pay, 1).await {
            Ok(paid) => Ok(paid),
            Err(_) => bank.pay(pay, 1).await,
        }?;
        Ok(paid)
    }
    let report = KillLab::new("retry", Bank).run(async |session, bank| retry(session, bank).await);
    caught(&report, "`retry//pay` happened 2 times", "one attempt of step `retry//pay` asked for it 2 times");
}
