//! What is computed when it is compiled cannot wait for anything.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    let paid = const { #[read(key = "pay")] u32::MAX };
    println!("{paid}");
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
