use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: Vec<u32>) -> Result<Vec<u32>, Error> {
    let pay = |id: u32| {
        #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
        let entry = call(id).await?;
        Ok(entry)
    };
    ids.into_iter().map(pay).collect()
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
