//! Nothing says what is decided.
use durable_runtime::prelude::*;

#[durable_workflow]
async fn waits(session: &Session) -> Result<(), durable_runtime::Error> {
    #[decision(key = "one")]
    let _one = session.decide().await?;
    Ok(())
}

fn main() {}
