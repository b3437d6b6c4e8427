use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(key = "pay/{id}" as key)]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
