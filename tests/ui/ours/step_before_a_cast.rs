//! The attribute binds tighter than `as`.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    let paid = #[side_effect(key = "pay", in_doubt = "bank")]
    call().await? as u64;
    println!("{paid}");
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
