use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Bank;

#[durable_workflow]
async fn pay(session: &Session, bank: &Bank, others: Vec<Bank>, id: u32) -> Result<(), Error> {
    Ok(())
}

fn main() {}
