//! A pattern does nothing.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    struct Receipt {
        paid: u32,
    }
    let Receipt { #[side_effect(key = "pay", in_doubt = "bank")] paid } = Receipt { paid: call().await? };
    println!("{paid}");
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
