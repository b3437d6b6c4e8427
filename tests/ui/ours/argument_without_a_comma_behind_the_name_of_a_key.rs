use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay" as k verify = find(k).await)]
    let paid = call(id, k).await?;
    Ok(paid)
}

async fn find(_: &StepKey) -> Result<Option<u32>, Error> {
    Ok(None)
}

async fn call(_: u32, _: &StepKey) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
