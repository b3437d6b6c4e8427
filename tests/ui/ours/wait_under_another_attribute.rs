//! What a wait comes to is recorded by an attribute of its own.
use std::time::Duration;

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn waits(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "send/{id}")]
    let _send: Approval = session.decide().await?;
    #[read(key = "cool down")]
    session.sleep(Duration::ZERO).await?;
    #[run(key = "wait")]
    session.sleep(Duration::ZERO).await?;
    #[sleep(key = "agree")]
    let _agrees: bool = session.decide().await?;
    #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
    let _paid = {
        session.sleep(Duration::ZERO).await?;
        call(id).await
    }?;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
