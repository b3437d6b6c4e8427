use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(retired = ["pay/{}", "order//mail/{}", "letter/{}"])]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
    call(id).await?;
    #[side_effect(key = "mail/{id}", formerly = ["letter/{}"], in_doubt = "treasury")]
    call(id).await?;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
