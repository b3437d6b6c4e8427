use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, other: &Session) -> Result<(), Error> {
    Ok(())
}

fn main() {}
