//! A workflow is its steps, not one of them.

use durable_runtime::prelude::*;

#[durable_workflow]
#[side_effect(key = "pay", in_doubt = "bank")]
async fn pay(session: &Session) -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = pay;
}
