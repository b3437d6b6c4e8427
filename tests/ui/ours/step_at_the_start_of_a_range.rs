//! The attribute binds tighter than `..`.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    for paid in #[side_effect(key = "pay", in_doubt = "bank")] call().await?..9 {
        println!("{paid}");
    }
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
