use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, log: &dyn std::fmt::Debug) -> Result<(), Error> {
    Ok(())
}

fn main() {}
