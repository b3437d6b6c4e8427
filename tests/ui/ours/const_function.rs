use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
const fn pay(session: &Session) -> Result<u32, Error> {
    Ok(0)
}

#[durable_workflow]
pub const fn mail(session: &Session) -> Result<u32, Error> {
    call().await
}

async fn call() -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
