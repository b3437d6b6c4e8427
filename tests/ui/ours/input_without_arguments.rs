use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, #[input] id: u32, #[input()] amount: u32) -> Result<(), Error> {
    Ok(())
}

fn main() {}
