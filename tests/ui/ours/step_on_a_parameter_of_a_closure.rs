//! A parameter does nothing.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    let pay = |#[side_effect(key = "pay", in_doubt = "bank")] paid: u32| println!("{paid}");
    pay(call().await?);
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
