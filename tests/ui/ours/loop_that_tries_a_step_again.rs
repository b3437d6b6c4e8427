use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    loop {
        #[side_effect(key = "pay/{id}", in_doubt = "bank", errors = "recorded")]
        let paid = call(id).await;
        if let Ok(paid) = paid {
            return Ok(paid);
        }
    }
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
