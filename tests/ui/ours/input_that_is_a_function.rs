use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, rate: &impl Fn(&str) -> u32) -> Result<(), Error> {
    Ok(())
}

fn main() {}
