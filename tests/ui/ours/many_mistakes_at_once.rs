use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(gaol = "pay")]
async fn pay(session: &Session, ids: Vec<u32>) {
    for id in ids {
        #[side_effect(key = "pay", idempotant)]
        call(id).await?;
    }
    #[side_effect(key = "")]
    call(1).await?;
    #[read]
    call(2).await?;
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
