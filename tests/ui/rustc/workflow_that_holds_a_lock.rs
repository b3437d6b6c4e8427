//! A lock is released by the thread that took it.

use std::sync::Mutex;

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, #[resource] total: &Mutex<u32>) -> anyhow::Result<()> {
    let mut total = total.lock().unwrap();
    #[side_effect(key = "pay", in_doubt = "bank")]
    let entry = call().await?;
    *total += entry;
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = pay;
}
