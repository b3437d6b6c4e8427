use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
#[durable_workflow(goal = "pay")]
async fn pay(session: &Session) -> Result<(), Error> {
    Ok(())
}

fn main() {}
