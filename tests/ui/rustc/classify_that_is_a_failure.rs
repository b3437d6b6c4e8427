use durable_runtime::classify;
use durable_runtime::prelude::*;
use durable_runtime::{Error, Failure};

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay/{id}", in_doubt = "bank", classify = classify::http(404, None))]
    let paid = call(id).await?;
    #[side_effect(key = "mail/{id}", in_doubt = "bank", classify = Failure::rejected())]
    let mailed = call(id).await?;
    Ok(paid + mailed)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
