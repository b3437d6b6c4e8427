use durable_runtime::Error;
use durable_runtime::prelude::*;

async fn pay() -> Result<(), Error> {
    #[side_effect(key = "pay", in_doubt = "treasury")]
    let paid = call(1).await?;
    #[read(key = "look")]
    let found = call(paid).await?;
    drop(found);
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
