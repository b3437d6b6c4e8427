use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "pay" as pay, verify = look(pay).ok().flatten())]
    let paid = call(1).await?;
    Ok(paid)
}

fn look(_: &StepKey) -> Result<Option<u32>, Error> {
    Ok(None)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
