//! What is not the session's own wait, under the attributes of waits.
use durable_runtime::prelude::*;

async fn ask() -> Result<bool, durable_runtime::Error> {
    Ok(true)
}

#[durable_workflow]
async fn waits(session: &Session) -> Result<(), durable_runtime::Error> {
    #[sleep(key = "one")]
    ask().await?;
    #[sleep(key = "three")]
    session.sleep(std::time::Duration::ZERO)?;
    #[decision(key = "four")]
    let _four = ask().await?;
    #[decision(key = "five")]
    let _five = session.decide::<Approval>().await?.is_approved();
    Ok(())
}

fn main() {}
