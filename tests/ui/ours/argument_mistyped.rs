use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(kye = "pay", in_doubt = "treasury")]
    call(id).await?;
    #[side_effect(key: "mail", in_doubt = "treasury")]
    call(id).await?;
    #[read(key = "note", retry(attempts = 5))]
    call(id).await?;
    Ok(0)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
