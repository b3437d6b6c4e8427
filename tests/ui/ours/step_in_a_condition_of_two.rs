//! The attribute binds tighter than `&&`.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    if true && #[side_effect(key = "pay", in_doubt = "bank")] call().await.map(|paid| paid > 3)? {
        println!("much");
    }
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
