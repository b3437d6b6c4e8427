//! A branch awaits its future by itself, and a step is awaited where it stands.
use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    let first = tokio::select! {
        biased;
        paid = #[side_effect(key = "pay/{id}", in_doubt = "treasury")] call(id) => paid?,
        mailed = call(id) => mailed?,
    };
    let (one, other) = tokio::try_join!(
        #[side_effect(key = "one/{id}", in_doubt = "treasury")] call(id),
        #[read(key = "other/{id}")] call(id),
    )?;
    Ok(first + one + other)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
