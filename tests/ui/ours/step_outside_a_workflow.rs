use durable_runtime::Error;
use durable_runtime::prelude::*;

#[side_effect(key = "pay", in_doubt = "treasury")]
async fn pay() -> Result<u32, Error> {
    call(1).await
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
