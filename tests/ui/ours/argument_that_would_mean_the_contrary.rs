//! `cleanup` says when its own step runs, which is the contrary of what is looked for here.
use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(on_cancel = refund)]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "pay/{id}", in_doubt = "treasury", compensate = refund(id))]
    call(id).await?;
    #[side_effect(key = "book/{id}", in_doubt = "treasury", not_idempotent)]
    call(id).await?;
    Ok(())
}

#[durable_workflow(strict = true)]
async fn exact(session: &Session) -> Result<(), Error> {
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
