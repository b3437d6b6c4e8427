use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[read(key = "look/{id}", errors = "recorded")]
    let _found = find(id).await;
    #[side_effect(key = "pay/{id}", in_doubt = "operator", errors = "recorded")]
    let _paid: u32 = call(id).await;
    Ok(())
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

async fn find(_: u32) -> Option<u32> {
    None
}

fn main() {}
