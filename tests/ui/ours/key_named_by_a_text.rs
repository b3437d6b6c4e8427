use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay/{id}" as "pay", idempotent)]
    let entry = call(id + pay.as_str().len() as u32).await?;
    Ok(entry)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
