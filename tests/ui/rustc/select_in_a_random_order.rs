//! It is a warning; where warnings are errors, this is one.

#![deny(warnings)]

use durable_runtime::prelude::*;

#[durable_workflow]
async fn first_of(session: &Session, id: u32) -> anyhow::Result<u32> {
    let paid = tokio::select! {
        paid = async {
            #[side_effect(key = "card/{id}", in_doubt = "treasury")]
            let paid = call(id).await?;
            anyhow::Ok(paid)
        } => paid?,
        () = std::future::pending() => 0,
    };
    Ok(paid)
}

async fn call(id: u32) -> anyhow::Result<u32> {
    Ok(id)
}

fn main() {
    let _ = first_of;
}
