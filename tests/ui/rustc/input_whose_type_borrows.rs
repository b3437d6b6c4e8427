use durable_runtime::Error;
use durable_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize)]
struct Invoice<'a> {
    to: &'a str,
}

#[durable_workflow]
async fn pay(session: &Session, invoice: &Invoice<'_>) -> Result<(), Error> {
    Ok(())
}

fn main() {}
