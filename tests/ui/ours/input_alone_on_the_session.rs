use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(#[input] session: &Session) -> Result<(), Error> {
    Ok(())
}

fn main() {}
