use durable_runtime::prelude::*;
use durable_runtime::testing::{Effects, KillLab, NoAnswer};

struct Bank(Effects);

impl Bank {
    async fn pay(&self, key: &StepKey, amount: u64) -> Result<u64, NoAnswer> {
        self.0.apply(key, || amount).await
    }
    async fn find(&self, key: &StepKey) -> Option<u64> {
        self.0.find(key)
    }
}

#[derive(Debug)]
struct PayError(String);
impl<E: std::error::Error> From<E> for PayError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
impl std::fmt::Display for PayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[durable_workflow(goal = "pay four")]
async fn payroll(session: &Session, #[resource] bank: &Bank, n: u64) -> Result<u64, PayError> {
    let mut total = 0;
    for i in 0..n {
        #[side_effect(key = "pay/{i}" as pay, verify = bank.find(pay).await)]
        let paid = bank.pay(pay, i + 1).await?;
        total += paid;
    }
    Ok(total)
}

#[test]
fn four_payments_hold() {
    let at = std::time::Instant::now();
    let states = std::env::var("STATES").map_or(4000, |s| s.parse().unwrap());
    let report =
        KillLab::new("payroll", Bank).forks().states(states).run(async |session, bank| payroll(session, bank, 4).await);
    println!("{report:?}");
    println!("{:?}", at.elapsed());
}
