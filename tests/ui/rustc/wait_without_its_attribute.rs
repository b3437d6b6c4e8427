//! A wait without an attribute has no name.
use durable_runtime::prelude::*;

#[durable_workflow]
async fn waits(session: &Session) -> Result<(), durable_runtime::Error> {
    session.sleep(std::time::Duration::ZERO).await?;
    let _send: Approval = session.decide().await?;
    Ok(())
}

fn main() {}
