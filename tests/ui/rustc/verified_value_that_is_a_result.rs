//! What `verify` finds is no mistake beside the missing `?`.
use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "pay/{id}", verify = find(id).await)]
    call(id).await;
    #[side_effect(key = "mail/{id}", verify = find(id).await)]
    let _mailed = call(id);
    #[side_effect(key = "book/{id}", verify = find(id).await.map(|found| found.to_string()))]
    let _booked = { "booked" };
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

async fn find(_: u32) -> Option<u32> {
    None
}

fn main() {}
