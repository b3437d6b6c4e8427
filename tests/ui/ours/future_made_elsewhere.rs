use std::future::Future;
use std::pin::Pin;

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
fn pay(session: &Session) -> Pin<Box<dyn Future<Output = Result<u32, Error>> + Send + '_>> {
    Box::pin(call(session))
}

async fn call(_: &Session) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
