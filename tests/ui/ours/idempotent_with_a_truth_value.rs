use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "pay" as pay, idempotent = true)]
    let paid = call(pay).await?;
    #[side_effect(key = "mail", idempotent = false, in_doubt = "the post")]
    let mailed = post(2).await?;
    Ok(paid + mailed)
}

async fn call(_: &StepKey) -> Result<u32, Error> {
    Ok(0)
}

async fn post(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
