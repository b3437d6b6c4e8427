use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(inputs = "given")]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    Ok(())
}

fn main() {}
