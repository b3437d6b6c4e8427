use durable_runtime::Error;
use durable_runtime::prelude::*;

#[derive(Debug)]
struct Refused;

impl From<Error> for Refused {
    fn from(_: Error) -> Self {
        Self
    }
}

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Refused> {
    #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
    let entry = call(id).await?;
    #[side_effect(key = "mail/{id}", in_doubt = "treasury")]
    call(id).await?;
    Ok(entry)
}

async fn call(_: u32) -> Result<u32, Refused> {
    Ok(0)
}

fn main() {}
