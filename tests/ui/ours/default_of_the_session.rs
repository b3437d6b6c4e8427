use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(#[input(default)] session: &Session) -> Result<(), Error> {
    Ok(())
}

fn main() {}
