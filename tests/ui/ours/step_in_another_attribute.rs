//! What stands in another attribute is that attribute's.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    #[allow(#[side_effect(key = "pay", in_doubt = "bank")] unused)]
    call().await?;
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
