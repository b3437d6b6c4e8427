//! Only the body of the workflow is resumed.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    trait Pays {
        #[side_effect(key = "pay", in_doubt = "bank")]
        fn pay(&self);
    }
    impl Pays for u32 {
        fn pay(&self) {}
    }
    call().await?.pay();
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
