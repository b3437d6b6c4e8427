use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<(), Error> {
    #[side_effect(key = "pay", in_doubt = "treasury")]
    let paid;
    #[read(key = "look")]
    let (one, other);
    call(one).await?;
    call(other).await?;
    Ok(())
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
