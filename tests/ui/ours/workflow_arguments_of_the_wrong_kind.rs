use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(key = "pay/{id}" as pay, goal = 3, invariants = "paid once", session)]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    Ok(())
}

fn main() {}
