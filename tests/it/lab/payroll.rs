//! A workflow and its kill test, as a user writes them. `docs/testing.md` shows this code.

use durable_runtime::prelude::*;
use durable_runtime::testing::{Effects, HttpService, KillLab, NoAnswer};

#[durable_workflow(goal = "pay {names.len()} people", invariants = ["nobody is paid twice"])]
async fn payroll(session: &Session, #[resource] bank: &Bank, names: &[String]) -> anyhow::Result<u64> {
    let mut total = 0;
    for name in names {
        #[side_effect(key = "pay/{name}" as pay, verify = bank.find(pay).await, settle = "10s")]
        let paid = bank.pay(pay, 100).await?;
        total += paid;
    }
    Ok(total)
}

/// The bank that the test plays to the workflow.
struct Bank(Effects);

impl Bank {
    async fn pay(&self, key: &StepKey, amount: u64) -> Result<u64, NoAnswer> {
        self.0.apply(key, || amount).await
    }

    async fn find(&self, key: &StepKey) -> Option<u64> {
        self.0.find(key)
    }
}

#[test]
fn nobody_is_paid_twice() {
    let names = ["Ada", "Grace"].map(String::from);
    KillLab::new("payroll", Bank).run(async |session, bank| payroll(session, bank, &names).await).assert_held();
}

#[test]
fn nobody_is_paid_twice_though_the_process_is_killed_for_real() {
    let names = ["Ada", "Grace"].map(String::from);
    KillLab::new("payroll", Bank).real_kills(async |session, bank| payroll(session, bank, &names).await).assert_held();
}

/// With somebody who has to agree.
mod decided {
    use std::time::Duration;

    use super::{Approval, Bank, KillLab, Session, durable_workflow};

    #[durable_workflow(goal = "pay {name}, if finance agrees")]
    async fn agreed(session: &Session, #[resource] bank: &Bank, name: &str) -> anyhow::Result<u64> {
        #[decision(key = "agree", ask = "finance", shows = name)]
        let agree: Approval = session.decide().await?;
        if !agree.is_approved() {
            return Ok(0);
        }
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await, settle = "10s")]
        let paid = bank.pay(pay, 100).await?;
        Ok(paid)
    }

    #[test]
    fn nobody_is_paid_twice_and_nobody_before_finance_agrees() {
        KillLab::new("agreed", Bank)
            .run(async |session, bank| {
                tokio::select! {
                    biased;
                    paid = agreed(session, bank, "Ada") => paid,
                    never = finance(session, "agreed//agree") => never,
                }
            })
            .assert_held();
    }

    #[durable_workflow(goal = "pay {name}, if finance agrees in time")]
    async fn agreed_in_time(session: &Session, #[resource] bank: &Bank, name: &str) -> anyhow::Result<u64> {
        #[decision(key = "agree", ask = "finance", expires = "3s", on_expiry = Approval::declined("nobody", "too late"))]
        let agree: Approval = session.decide().await?;
        if !agree.is_approved() {
            #[side_effect(key = "refuse" as refuse, verify = bank.find(refuse).await, settle = "10s")]
            let refused = bank.pay(refuse, 0).await?;
            return Ok(refused);
        }
        #[side_effect(key = "pay" as pay, verify = bank.find(pay).await, settle = "10s")]
        let paid = bank.pay(pay, 100).await?;
        Ok(paid)
    }

    /// In some stories the time is over before finance has looked: those come to another end, and rightly so.
    #[test]
    fn nobody_is_paid_twice_though_finance_may_be_too_late() {
        KillLab::new("in_time", Bank)
            .run(async |session, bank| {
                tokio::select! {
                    biased;
                    paid = agreed_in_time(session, bank, "Ada") => paid,
                    never = finance(session, "agreed_in_time//agree") => never,
                }
            })
            .assert_held();
    }

    #[test]
    fn nobody_is_paid_where_finance_never_answers() {
        KillLab::new("too_late", Bank)
            .run(async |session, bank| agreed_in_time(session, bank, "Ada").await)
            .assert_held();
    }

    #[expect(clippy::disallowed_methods, reason = "the time of the lab, which costs none")]
    async fn finance<T>(session: &Session, key: &str) -> T {
        for _ in 0..100 {
            if session.handoff().to_string().contains("ASK finance to decide") {
                session.answer(key).approve().by("finance", "as planned").await.ok();
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        std::future::pending().await
    }
}

/// The same over HTTP, with the client that the workflow ships with.
mod over_http {
    use super::{HttpService, KillLab, Session, durable_workflow};

    #[durable_workflow(goal = "pay {names.len()} people")]
    async fn payroll(session: &Session, #[resource] bank: &Bank, names: &[String]) -> anyhow::Result<()> {
        for name in names {
            #[side_effect(key = "pay/{name}" as pay, idempotent)]
            bank.pay(&pay.token().to_string(), name).await?;
        }
        Ok(())
    }

    struct Bank {
        client: reqwest::Client,
        url: String,
    }

    impl Bank {
        fn at(url: &str) -> Self {
            let client = reqwest::Client::builder().no_proxy().build().unwrap();
            Self { client, url: url.to_owned() }
        }

        async fn pay(&self, token: &str, name: &str) -> reqwest::Result<()> {
            let request = self.client.post(format!("{}/payments", self.url)).header("Idempotency-Key", token);
            request.json(&[name]).send().await?.error_for_status().map(drop)
        }
    }

    #[test]
    fn nobody_is_paid_twice() {
        let names = ["Ada", "Grace"].map(String::from);
        KillLab::http("payroll", HttpService::new())
            .run(async |session, world| payroll(session, &Bank::at(world.url()), &names).await)
            .assert_held();
    }
}
