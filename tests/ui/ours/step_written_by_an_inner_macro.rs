//! The workflow is read before its macros are expanded.

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<()> {
    macro_rules! pay {
        ($call:expr) => {
            #[side_effect(key = "pay", in_doubt = "bank")]
            $call;
        };
    }
    pay!(call().await?);
    Ok(())
}

async fn call() -> anyhow::Result<u32> {
    Ok(1)
}

fn main() {
    let _ = (pay, call);
}
