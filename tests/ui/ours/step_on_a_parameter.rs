//! A parameter does nothing.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, #[read(key = "paid")] paid: u32) -> anyhow::Result<u32> {
    Ok(paid)
}

fn main() {
    let _ = pay;
}
