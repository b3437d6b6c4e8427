use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32, ids: Vec<u32>) -> Result<(), Error> {
    let mut left = 3;
    while left > 0 {
        #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
        call(left).await?;
        left -= 1;
    }
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
