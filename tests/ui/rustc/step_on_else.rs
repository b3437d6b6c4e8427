//! Rust has no attributes there.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    if call().await? > 3 {
        println!("much");
    } else #[side_effect(key = "pay", in_doubt = "bank")] {
        println!("little");
    }
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
