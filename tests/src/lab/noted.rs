//! A run that notes things beside its steps.

use durable_runtime::Artifact;
use durable_runtime::prelude::*;

use super::world::{Bank, Stop};

/// Remembers how far it has come, and finds that in the end, wherever it was resumed.
#[durable_workflow(goal = "pay twice, and remember it")]
pub(super) async fn remembering(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    let memory = session.memory();
    let mut total = 0;
    for n in 1..=2_u64 {
        memory.set("payment", &n).await?;
        #[side_effect(key = "pay/{n}" as pay, verify = bank.find(pay).await)]
        let paid = bank.pay(pay, n).await?;
        memory.artifact(Artifact::new(format!("receipt-{n}")).digest(paid.to_string())).await?;
        total += paid;
    }
    memory.set("total", &total).await?;
    memory.remove("payment").await?;
    #[read(key = "found")]
    let found: (Option<u64>, Option<u64>, usize) =
        (memory.get("payment")?, memory.get("total")?, memory.artifacts()?.len());
    let (None, Some(total), 2) = found else {
        return Ok(1_000);
    };
    Ok(total)
}
