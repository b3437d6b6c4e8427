use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "transfer/{id}", formerly = ["pay/{}"], in_doubt = "treasury")]
    call(id).await?;
    #[side_effect(key = "cheque/{id}", formerly = ["pay/{}"], in_doubt = "treasury")]
    call(id).await?;
    #[read(key = "old", formerly = ["cheque/{id}"])]
    call(id).await?;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
