use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay/{id}", verify = find(pay).await)]
    let paid = call(id).await?;
    Ok(paid)
}

async fn find(_: &StepKey) -> Result<Option<u32>, Error> {
    Ok(None)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
