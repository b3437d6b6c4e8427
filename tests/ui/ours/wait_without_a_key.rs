//! A sleep and a decision without a name.
use durable_runtime::prelude::*;

#[durable_workflow]
async fn waits(session: &Session) -> Result<(), durable_runtime::Error> {
    #[sleep]
    session.sleep(std::time::Duration::ZERO).await?;
    #[decision(ask = "finance")]
    let _send: Approval = session.decide().await?;
    #[decision(key = "send" as send)]
    let _send: Approval = session.decide().await?;
    Ok(())
}

fn main() {}
