use durable_runtime::{Error, StepError};
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    let paid: Result<u32, StepError> = async {
        #[read(key = "paid", errors = "recorded")]
        call(id).await
    }
    .await;
    Ok(paid.unwrap_or_default())
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
