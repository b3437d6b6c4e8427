//! A step is one effect, not a choice between several.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    match call().await? {
        1 => println!("one"),
        _ => println!("many"),
    }
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
