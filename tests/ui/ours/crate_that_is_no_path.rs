use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(crate = "durable")]
async fn pay(session: &Session) -> Result<u32, Error> {
    Ok(0)
}

#[durable_workflow(crate)]
async fn flag(session: &Session) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
