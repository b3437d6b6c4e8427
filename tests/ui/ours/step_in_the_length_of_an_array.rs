//! What is computed when it is compiled cannot wait for anything.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    let paid = [0; #[read(key = "length")] usize::MIN];
    println!("{paid:?}");
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
