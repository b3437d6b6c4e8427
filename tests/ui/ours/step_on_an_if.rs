//! A step is one effect, not a choice between two.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    if call().await? > 3 {
        call().await?;
    }
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
