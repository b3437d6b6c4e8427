use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(formerly = ["payroll/{}"])]
async fn pay(session: &Session, id: u32, month: u32) -> Result<(), Error> {
    #[side_effect(key = "pay/{month}/{id}", formerly = ["pay/{}"], in_doubt = "treasury")]
    call(id).await?;
    #[side_effect(key = "mail/{id}", formerly = ["letter/{name}", "post/{id.len()}", "a///b"], in_doubt = "treasury")]
    call(month).await?;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
