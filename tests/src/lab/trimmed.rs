//! A run whose inner runs are left out of the log as soon as they are finished.

use durable_runtime::prelude::*;

use super::world::{Bank, Stop};

/// Two months, each a run, and a report on both. The log is shrunk behind each month, wherever that is reached.
#[durable_workflow(goal = "close a quarter")]
pub(super) async fn quarter(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    let mut total = 0;
    for month in 1..=2 {
        #[run(key = "month/{month}")]
        let paid = pay(session, bank, month).await?;
        total += paid;
        session.trim().await?;
    }
    #[side_effect(key = "report" as report, verify = bank.find(report).await)]
    let report = bank.pay(report, total).await?;
    Ok(total + report)
}

#[durable_workflow(goal = "pay {n}")]
async fn pay(session: &Session, #[resource] bank: &Bank, n: u64) -> Result<u64, Stop> {
    #[side_effect(key = "debit" as debit, verify = bank.find(debit).await)]
    let debit = bank.pay(debit, n).await?;
    Ok(debit)
}
