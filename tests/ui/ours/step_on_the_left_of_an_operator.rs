//! The attribute binds tighter than `+`, so the sum would not be the step.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    let sum = #[side_effect(key = "pay", in_doubt = "bank")]
    call().await? + 1;
    println!("{sum}");
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
