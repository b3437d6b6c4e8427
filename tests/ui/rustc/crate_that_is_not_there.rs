use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(crate = ::engine)]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay/{id}" as pay, verify = find(pay).await)]
    let entry = call(id).await?;
    Ok(entry)
}

async fn find(_: &durable_runtime::StepKey) -> Option<u32> {
    None
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
