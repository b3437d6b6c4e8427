use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
    let entry = find(id).await?;
    Ok(entry)
}

async fn find(_: u32) -> Option<u32> {
    None
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
