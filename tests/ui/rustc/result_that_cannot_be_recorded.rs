use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Receipt;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
    let receipt = call(id).await?;
    drop(receipt);
    Ok(())
}

async fn call(_: u32) -> Result<Receipt, Error> {
    Ok(Receipt)
}

fn main() {}
