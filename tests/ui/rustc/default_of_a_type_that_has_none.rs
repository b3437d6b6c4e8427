use durable_runtime::Error;
use durable_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize)]
struct Invoice;

#[durable_workflow]
async fn pay(session: &Session, #[input(default)] first: Invoice, #[input(default)] second: &Invoice) -> Result<(), Error> {
    Ok(())
}

fn main() {}
