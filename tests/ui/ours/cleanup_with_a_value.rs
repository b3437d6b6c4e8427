use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[read(key = "look/{id}", cleanup)]
    call(id).await?;
    #[side_effect(key = "refund/{id}", cleanup = true, in_doubt = "office")]
    call(id).await?;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
