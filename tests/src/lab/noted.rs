//! Runs that note things beside their steps.

use durable_runtime::prelude::*;
use durable_runtime::{Artifact, Budget, Research, Turn};

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

/// A loop at a pace, with a budget: what each turn is for, and when half is used, is the same in every start.
#[durable_workflow(goal = "go round until three are paid")]
pub(super) async fn rounds(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    let pace = session.pace().explore_after(1).build_after(0).rest_every(4);
    let (mut total, mut half) = (0, 0);
    while pace.number() < 6 {
        let turn = pace.turn().await?;
        let n = pace.number();
        match turn {
            Turn::Rest => {
                session.checkpoint("a rest").await?;
                continue;
            }
            Turn::Explore(_) => {
                pace.researched("a counter", Research::Reject, "ours counts already").await?;
                #[side_effect(key = "explore/{n}" as explore, verify = bank.find(explore).await)]
                let explored = bank.pay(explore, 100).await?;
                total += explored;
            }
            _ if n % 2 == 1 => {
                #[side_effect(key = "work/{n}" as work, verify = bank.find(work).await)]
                let worked = bank.pay(work, n).await?;
                total += worked;
            }
            _ => {}
        }
        if session.budget(n, 6).await? == Budget::HalfUsed {
            half = n;
        }
    }
    pace.end();
    Ok(total + 10_000 * half)
}
