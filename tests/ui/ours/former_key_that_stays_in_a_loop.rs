use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(version = 0)]
async fn pay(session: &Session, ids: Vec<u32>) -> Result<(), Error> {
    for id in ids {
        #[side_effect(key = "transfer/{id}", formerly = ["pay"], in_doubt = "treasury")]
        call(id).await?;
    }
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
