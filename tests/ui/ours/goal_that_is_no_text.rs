use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(goal = 3, invariants = "once")]
async fn pay(session: &Session) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
