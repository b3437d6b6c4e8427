//! Workflows with a planted bug: each is caught, and explained.

use durable_runtime::prelude::*;
use durable_runtime::testing::{KillLab, LabVerdict, Report};

use durable_tests::lab::{Bank, Stop};

fn caught(report: &Report, fault: &str, because: &str) {
    let text = report.to_string();
    assert_eq!(report.verdict(), LabVerdict::Broken, "{text}");
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
    caught(&report, "`behind//pay` never happened", "left running behind it");
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
    caught(&report, "the result is 3, and 2", "take it from a step or a `#[read]`");
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
    assert_eq!(report.verdict(), LabVerdict::NotMeasured, "{report}");
    assert!(report.to_string().contains("no effect was seen"), "{report}");
}

#[test]
fn a_workflow_that_fails_by_itself_cannot_be_studied() {
    #[durable_workflow(goal = "fail")]
    async fn failing(session: &Session) -> Result<u64, Stop> {
        Err(std::io::Error::other("the books are closed"))?
    }
    let report = KillLab::new("failing", Bank).run(async |session, _| failing(session).await);
    assert_eq!(report.verdict(), LabVerdict::HarnessBroken);
    assert!(report.to_string().contains("the books are closed"), "{report}");
}

#[test]
fn a_workflow_that_waits_for_ever_says_for_whom() {
    #[durable_workflow(goal = "ask")]
    async fn asks(session: &Session) -> Result<bool, Stop> {
        #[decision(key = "agree", ask = "treasury")]
        let agree: Approval = session.decide().await?;
        Ok(agree.is_approved())
    }
    let report = KillLab::new("unanswered", Bank).run(async |session, _| asks(session).await);
    assert_eq!(report.verdict(), LabVerdict::HarnessBroken);
    let waits =
        "waits for something that never comes: step `asks//agree` of session `session` waits for treasury to decide";
    assert!(report.to_string().contains(waits), "{report}");
}

#[test]
fn an_effect_that_is_done_with_something_else_after_a_crash() {
    #[durable_workflow(goal = "pay")]
    async fn growing(session: &Session, #[resource] bank: &Bank) -> Result<(), Stop> {
        let amount = session.iteration() * 100;
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
        bank.pay(pay, amount).await?;
        Ok(())
    }
    let report = KillLab::new("growing", Bank).run(async |session, bank| growing(session, bank).await);
    caught(
        &report,
        "`growing//pay` was done and gave 200, and 100 where nothing befell",
        "neither recorded nor an input",
    );
}

#[test]
fn a_verifier_that_gives_another_value_than_its_step() {
    #[durable_workflow(goal = "pay")]
    async fn misread(session: &Session, #[resource] bank: &Bank) -> Result<(), Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await.map(|_| 0))]
        bank.pay(pay, 7).await?;
        Ok(())
    }
    let report = KillLab::new("misread", Bank).run(async |session, bank| misread(session, bank).await);
    caught(&report, "`misread//pay` is recorded with the value 0, and with 7", "the verifier of step `misread//pay`");
}

#[test]
fn a_request_that_is_given_up_and_taken_for_a_success() {
    #[durable_workflow(goal = "pay")]
    async fn impatient(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
        let paid = tokio::time::timeout(std::time::Duration::from_secs(5), bank.pay(pay, 7)).await.unwrap_or(Ok(7))?;
        Ok(paid)
    }
    let report = KillLab::new("impatient", Bank).run(async |session, bank| impatient(session, bank).await);
    caught(&report, "`impatient//pay` never happened", "took a request without an answer for a success");
}

#[test]
fn an_error_that_is_swallowed_inside_a_step() {
    #[durable_workflow(goal = "pay")]
    async fn careless(session: &Session, #[resource] bank: &Bank) -> Result<bool, Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await.map(|_| true))]
        let paid = is_paid(bank, pay).await;
        Ok(paid)
    }
    // In the step itself the compiler would refuse it.
    async fn is_paid(bank: &Bank, key: &StepKey) -> bool {
        bank.pay(key, 7).await.is_ok()
    }
    let report = KillLab::new("careless", Bank).run(async |session, bank| careless(session, bank).await);
    caught(&report, "`careless//pay` never happened", "its error was swallowed inside the step");
}

#[test]
fn two_effects_in_one_step() {
    #[durable_workflow(goal = "pay and tell")]
    async fn double(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
        let paid = {
            let paid = bank.pay(pay, 7).await?;
            bank.0.note("mail");
            paid
        };
        Ok(paid)
    }
    let report = KillLab::new("double", Bank).run(async |session, bank| double(session, bank).await);
    caught(&report, "`mail` never happened", "step `double//pay` does more than one effect");
}

#[test]
fn a_verifier_that_takes_an_error_for_an_absence() {
    async fn find(bank: &Bank, pay: &StepKey) -> Option<u64> {
        bank.0.look(pay).await.unwrap_or(None)
    }
    #[durable_workflow(goal = "pay")]
    async fn deaf(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
        #[side_effect(key = "pay" as pay, verify = find(bank, pay).await)]
        let paid = bank.pay(pay, 7).await?;
        Ok(paid)
    }
    let report = KillLab::new("deaf", Bank).run(async |session, bank| deaf(session, bank).await);
    caught(&report, "`deaf//pay` happened 2 times", "took that for a proof that it did not happen");
}

#[test]
fn one_effect_of_two_steps_is_no_fault_where_each_verifier_counts() {
    #[durable_workflow(goal = "drop twice")]
    async fn drops(session: &Session, #[resource] bank: &Bank) -> Result<(), Stop> {
        for n in 0..2 {
            #[side_effect(key = "drop/{n}", verify = bank.0.count("drop") > n)]
            bank.0.apply("drop", || ()).await?;
        }
        Ok(())
    }
    KillLab::new("drops", Bank).run(async |session, bank| drops(session, bank).await).assert_held();
}

#[test]
fn a_workflow_that_only_reads_holds() {
    #[durable_workflow(goal = "look")]
    async fn looks(session: &Session) -> Result<u64, Stop> {
        #[read(key = "rate")]
        let rate = u64::from(3_u8);
        Ok(rate)
    }
    KillLab::new("looks", Bank).run(async |session, _| looks(session).await).assert_held();
}

#[tokio::test]
async fn a_lab_in_async_code_says_where_it_belongs() {
    let report = KillLab::new("nowhere", Bank).run(async |_: &Session, _: &Bank| Ok::<_, Stop>(()));
    assert_eq!(report.verdict(), LabVerdict::HarnessBroken);
    assert!(report.to_string().contains("call it from a plain `#[test]`"), "{report}");
}
