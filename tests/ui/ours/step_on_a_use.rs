//! An import does nothing.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    #[read(key = "import")]
    use std::mem::drop;
    drop(call().await?);
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
