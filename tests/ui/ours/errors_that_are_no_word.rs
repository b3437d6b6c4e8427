use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "pay/{id}", verify = find(id).await, errors = "later")]
    let _later = call(id).await?;
    #[read(key = "look/{id}", errors = "ignored")]
    let _ignored = call(id).await?;
    #[read(key = "see/{id}", errors)]
    let _flag = call(id).await?;
    Ok(())
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

async fn find(_: u32) -> Option<u32> {
    None
}

fn main() {}
