use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(goal = "pay {invoice}")]
async fn pay(session: &Session, invoices: u32) -> Result<u32, Error> {
    Ok(invoices)
}

fn main() {}
