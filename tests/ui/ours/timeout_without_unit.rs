use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "pay/{id}" as pay, in_doubt = "treasury", timeout = "30")]
    call(pay.token()).await?;
    Ok(())
}

async fn call(_: impl ToString) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
