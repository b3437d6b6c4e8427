use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay", verify = None)]
    let paid = call(id).await?;
    #[side_effect(key = "mail", verify = { false })]
    note(id).await?;
    #[side_effect(key = "book", verify = Verdict::DidNotHappen)]
    let booked = call(id).await?;
    Ok(paid + booked)
}

async fn note(_: u32) -> Result<(), Error> {
    Ok(())
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
