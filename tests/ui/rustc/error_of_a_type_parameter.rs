use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay<E: From<Error>>(session: &Session, #[resource] call: impl AsyncFn() -> Result<u32, E>) -> Result<u32, E> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    let entry = call().await?;
    Ok(entry)
}

fn main() {}
