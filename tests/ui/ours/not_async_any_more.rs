use std::future::Future;
use std::pin::Pin;

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
fn pay(session: &Session) -> Pin<Box<dyn Future<Output = Result<u32, Error>> + Send>> {
    Box::pin(async move {
        let paid = call(1).await?;
        Ok(paid)
    })
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
