//! Leaving a loop does nothing in the world.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    for paid in 0..call().await? {
        #[side_effect(key = "pay/{paid}", in_doubt = "bank")]
        continue;
    }
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
