//! What is borrowed by a workflow that may move to another thread is used by two of them.

use std::cell::Cell;

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, #[resource] total: &Cell<u32>) -> anyhow::Result<()> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    let entry = call().await?;
    total.set(entry);
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = pay;
}
