use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "pay", in_doubt = "bank", retry(attempts = 3))]
    let paid = call(1).await?;
    #[read(key = "look", retry(attempts = 3))]
    let seen = call(2).await?;
    Ok(paid + seen)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
