//! A constant is no part of the workflow.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    const PAID: u32 = #[read(key = "pay")] u32::MAX;
    println!("{PAID}");
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
