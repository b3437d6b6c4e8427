use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, invoice: u32) -> Result<(), Error> {
    #[side_effect(key = "pay/{x}" as k, in_doubt = "treasury")]
    call(invoice, k).await?;
    Ok(())
}

async fn call(_: u32, _: &StepKey) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
