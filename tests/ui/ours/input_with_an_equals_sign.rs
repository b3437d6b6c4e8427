use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, #[input = 1] id: u32) -> Result<(), Error> {
    Ok(())
}

fn main() {}
