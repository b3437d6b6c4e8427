use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "pay" as pay, verify = find(pay).await.unwrap_or(None))]
    let paid = call(1).await?;
    #[side_effect(key = "mail" as mail, verify = look(mail).unwrap_or_default())]
    let mailed = call(2).await?;
    Ok(paid + mailed)
}

async fn find(_: &StepKey) -> Result<Option<u32>, Error> {
    Ok(None)
}

fn look(_: &StepKey) -> Result<Option<u32>, Error> {
    Ok(None)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
