//! The attribute is hard to see behind an operator.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    let sum = 1 + #[side_effect(key = "pay", in_doubt = "bank")] call().await?;
    println!("{sum}");
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
