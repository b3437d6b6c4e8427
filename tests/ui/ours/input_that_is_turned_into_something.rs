use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, name: impl Into<String>) -> Result<(), Error> {
    Ok(())
}

fn main() {}
