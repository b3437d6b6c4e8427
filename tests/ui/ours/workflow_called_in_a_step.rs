use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "one", in_doubt = "treasury")]
    let one = inner(session, id).await?;
    #[read(key = "two")]
    let two = inner(&session.clone(), id).await?;
    #[run(key = "three")]
    let three = inner(session, id).await?;
    Ok(one + two + three)
}

#[durable_workflow]
async fn inner(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
