use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(formerly = "payroll", retired = [], version = "2")]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "transfer", formerly = "pay", in_doubt = "treasury")]
    call(id).await?;
    #[read(key = "look", formely = ["see"])]
    call(id).await?;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
