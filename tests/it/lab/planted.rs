//! Workflows with a planted bug: each is caught, and explained.

use durable_runtime::prelude::*;
use durable_runtime::testing::{KillLab, Report, Verdict};

use durable_tests::lab::{Bank, Stop};

fn caught(report: &Report, fault: &str, because: &str) {
    let text = report.to_string();
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

#[test]
fn an_effect_that_is_left_running_behind_its_step() {
    #[durable_workflow(goal = "pay")]
    async fn behind(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
        let paid = {
            let (effects, key) = (bank.0.clone(), pay.to_string());
            tokio::spawn(async move { effects.apply(key, || 1_u64).await });
            1_u64
        };
        #[side_effect(key = "close" as close, verify = bank.find(close).await)]
        let closed = bank.pay(close, 2).await?;
        Ok(paid + closed)
    }
    let report = KillLab::new("behind", Bank).run(async |session, bank| behind(session, bank).await);
    caught(&report, "`behind//pay` never happened", "left running in the background");
}

#[test]
fn a_settle_that_is_shorter_than_the_way_of_a_request() {
    #[durable_workflow(goal = "pay")]
    async fn hasty(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await, settle = "1s")]
        let paid = bank.pay(pay, 1).await?;
        Ok(paid)
    }
    let lab = || KillLab::new("hasty", Bank);
    lab().run(async |session, bank| hasty(session, bank).await).assert_held();
    let slow = lab().lands_within(std::time::Duration::from_secs(20));
    let report = slow.run(async |session, bank| hasty(session, bank).await);
    caught(&report, "`hasty//pay` happened 2 times", "make `settle` longer");
}

#[test]
fn a_result_that_nothing_recorded() {
    #[durable_workflow(goal = "pay")]
    async fn counted(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
        let paid = bank.pay(pay, 1).await?;
        Ok(paid + session.iteration())
    }
    let report = KillLab::new("counted", Bank).run(async |session, bank| counted(session, bank).await);
    caught(&report, "the result is 3, and 2", "take it in a `#[read]`");
}

#[test]
fn a_key_that_is_another_one_in_each_run() {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NUMBER: AtomicU64 = AtomicU64::new(0);

    #[durable_workflow(goal = "pay")]
    async fn drifting(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        #[side_effect(key = "pay/{number}" as pay, verify = bank.find(pay).await)]
        let paid = bank.pay(pay, 1).await?;
        Ok(paid)
    }
    let report = KillLab::new("drifting", Bank).run(async |session, bank| drifting(session, bank).await);
    caught(&report, "two runs that nothing befell differ", "differs from run to run");
}

#[test]
fn a_world_that_nobody_counts_proves_nothing() {
    #[durable_workflow(goal = "pay")]
    async fn unseen(session: &Session) -> Result<u64, Stop> {
        #[side_effect(key = "pay", in_doubt = "treasury")]
        let paid = std::future::ready(1_u64).await;
        Ok(paid)
    }
    let report = KillLab::new("unseen", Bank).run(async |session, _| unseen(session).await);
    assert_eq!(report.verdict(), Verdict::NotMeasured, "{report}");
    assert!(report.to_string().contains("no effect was seen"), "{report}");
}

#[test]
fn a_workflow_that_fails_by_itself_cannot_be_studied() {
    #[durable_workflow(goal = "fail")]
    async fn failing(session: &Session) -> Result<u64, Stop> {
        Err(std::io::Error::other("the books are closed"))?
    }
    let report = KillLab::new("failing", Bank).run(async |session, _| failing(session).await);
    assert_eq!(report.verdict(), Verdict::HarnessBroken);
    assert!(report.to_string().contains("the books are closed"), "{report}");
}
