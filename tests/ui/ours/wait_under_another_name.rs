use std::time::Duration;

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn send(session: &Session, id: u32) -> Result<(), Error> {
    #[decide(key = "send/{id}", ask = "finance")]
    let _send: Approval = session.decide().await?;
    #[wait(key = "cool-down/{id}")]
    session.sleep(Duration::ZERO).await?;
    #[step(key = "ask/{id}")]
    let _ask: Approval = session.decide().await?;
    #[activity(key = "pay/{id}" as pay, verify = look(pay.token()).await, retry(attempts = 3))]
    let _paid = call(pay.token()).await?;
    Ok(())
}

async fn call(_: impl ToString) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
