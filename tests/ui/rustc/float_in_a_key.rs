use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(key = "pay/{amount}")]
async fn pay(session: &Session, amount: f64) -> Result<(), Error> {
    #[side_effect(key = "pay/{amount:8}", in_doubt = "treasury")]
    call(1).await?;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
