//! A run that stops at a wait goes no further, and says so with `?`.
use durable_runtime::prelude::*;

#[durable_workflow]
async fn waits(session: &Session) -> Result<(), durable_runtime::Error> {
    #[sleep(key = "night")]
    session.sleep(std::time::Duration::ZERO).await;
    #[decision(key = "send")]
    let _send: Approval = session.decide().await.unwrap();
    Ok(())
}

fn main() {}
