use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    async move {
        #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
        call(id).await
    }
}

#[durable_workflow]
fn mail(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "mail/{id}", in_doubt = "treasury")]
    call(id).await?;
    async {}
}

#[durable_workflow]
fn boxed(session: &Session) -> Result<u32, Error> {
    Box::pin(async {})
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
