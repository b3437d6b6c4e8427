use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32, ids: Vec<u32>) -> Result<(), Error> {
    #[side_effect(key = "pay/{id}", verify = { #[read(key = "look/{id}")] call(id).await })]
    call(id).await?;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
