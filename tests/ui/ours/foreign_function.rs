use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
pub unsafe extern "C" fn pay(session: &Session) -> Result<u32, Error> {
    Ok(0)
}

#[durable_workflow]
extern "C" fn mail(session: &Session) -> Result<u32, Error> {
    call().await
}

async fn call() -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
