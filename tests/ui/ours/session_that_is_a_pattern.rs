use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay((session, id): (Session, u32)) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
