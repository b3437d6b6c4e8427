use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: Vec<u32>) -> Result<u32, Error> {
    #[side_effect(key = "pay/{paid}", in_doubt = "bank")]
    let paid = call(1).await?;
    for id in ids {
        #[side_effect(key = "mail/{id}", args = mailed, verify = found(mailed).await)]
        let mailed = call(id).await?;
        drop(mailed);
    }
    Ok(paid)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

async fn found(id: u32) -> Option<u32> {
    Some(id)
}

fn main() {}
