//! Steps whose results hold a secret, and are not kept.

use durable_runtime::prelude::*;

use super::world::{Bank, Stop};

/// Every start comes to the same number by what it gets again.
#[durable_workflow(goal = "issue two keys, and pay by them")]
pub(super) async fn sealed(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[side_effect(key = "first" as first, verify = bank.find(first).await.map(key_of))]
    let first: String = bank.pay(first, 3).await.map(key_of)?;
    #[side_effect(key = "second" as second, idempotent, refetch = bank.bought(second).map(key_of))]
    let second: String = bank.pay_once(second, 4).await.map(key_of)?;
    #[read(key = "third")]
    let third: String = key_of(5);
    let sum = [first, second, third].iter().map(|key| number_of(key)).sum();
    #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
    let paid = bank.pay(pay, sum).await?;
    Ok(paid)
}

/// A text that looks like a key.
fn key_of(number: u64) -> String {
    format!("{}_{number:036}", "ghp")
}

fn number_of(key: &str) -> u64 {
    key.rsplit('_').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}
