use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(, key = "pay", in_doubt = "bank")]
    let paid = call(id).await?;
    #[side_effect(key = "mail", in_doubt = "bank",,)]
    let mailed = call(paid).await?;
    Ok(mailed)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
