//! An `Rc` stays on one thread, and so does a workflow that holds one while it waits.

use std::rc::Rc;

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<u32> {
    let amount = Rc::new(1);
    #[side_effect(key = "pay", in_doubt = "bank")]
    let entry = call(*amount).await?;
    Ok(entry + *amount)
}

async fn call(amount: u32) -> anyhow::Result<u32> {
    Ok(amount)
}

fn main() {
    let _ = pay;
}
