//! What others call it.
use std::time::Duration;

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(name = "payment", max_attempts = 3)]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "pay/{id}", in_doubt = "treasury", retries = 3)]
    call(id).await?;
    #[side_effect(id = "mail/{id}", idempotency_key = id, timeouts = "3s")]
    call(id).await?;
    #[side_effect(key = "book/{id}", name = "book", in_doubt = "treasury", retry(max_attempts = 3, delay = "1s"))]
    call(id).await?;
    #[read(key = "look/{id}", idempotent)]
    call(id).await?;
    #[decision(key = "send", in_doubt = "finance", timeout = "24h", default = "nobody answered")]
    let _send: Approval = session.decide().await?;
    #[sleep(key = "cool down", duration = "3s")]
    session.sleep(Duration::ZERO).await?;
    #[run(key = "inner", retry(attempts = 3))]
    inner(session).await?;
    Ok(())
}

#[durable_workflow(title = "the rest")]
async fn inner(session: &Session) -> Result<(), Error> {
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
