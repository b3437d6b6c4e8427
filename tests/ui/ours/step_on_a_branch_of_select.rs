use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    let entry = tokio::select! {
        biased;
        #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
        entry = call(id) => entry?,
        () = tokio::task::yield_now() => 0,
    };
    Ok(entry)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
