//! An error that leaves the step is told by its `?`; of the `Result` at its end nothing is told.
use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay", in_doubt = "treasury")]
    let paid = {
        let entry = call(id).await?;
        checked(entry).await
    };
    #[side_effect(key = "mail", in_doubt = "treasury")]
    call(id).await?.to_string().parse::<u32>().map_err(|error| error.to_string());
    match paid {
        Ok(paid) => Ok(paid),
        Err(_) => Ok(0),
    }
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

async fn checked(entry: u32) -> Result<u32, String> {
    Ok(entry)
}

fn main() {}
