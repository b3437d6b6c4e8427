use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, n: u32) -> Result<u32, Error> {
    #[read(key = "a")]
    Ok(call(n).await?)
}

async fn call(n: u32) -> Result<u32, Error> {
    Ok(n)
}

fn main() {}
