//! A workflow is its steps, not one of them.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    #![side_effect(key = "pay", in_doubt = "bank")]
    call().await?;
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
