use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[run(key = "call")]
    let paid = call(session, id).await?;
    Ok(paid)
}

async fn call(_: &Session, id: u32) -> u32 {
    id
}

fn main() {}
