//! What is not the session's own wait, under the attributes of waits.
use std::time::Duration;

use durable_runtime::prelude::*;

async fn ask() -> Result<bool, durable_runtime::Error> {
    Ok(true)
}

#[durable_workflow]
async fn waits(session: &Session) -> Result<(), durable_runtime::Error> {
    #[sleep(key = "one")]
    tokio::time::sleep(Duration::ZERO).await;
    #[sleep(key = "three")]
    session.sleep(Duration::ZERO)?;
    #[decision(key = "four")]
    let _four = ask().await?;
    #[decision(key = "five")]
    let _five = session.decide::<Approval>().await?.is_approved();
    Ok(())
}

fn main() {}
