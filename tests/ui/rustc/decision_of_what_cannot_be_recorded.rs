//! What is decided, shown, or counts when nobody answers is data.
use durable_runtime::prelude::*;

struct Choice;

#[durable_workflow]
async fn waits(session: &Session) -> Result<(), durable_runtime::Error> {
    #[decision(key = "one")]
    let _one: Choice = session.decide().await?;
    #[decision(key = "two", shows = Choice)]
    let _two: Approval = session.decide().await?;
    #[decision(key = "three", expires = "1h", on_expiry = 3)]
    let _three: Approval = session.decide().await?;
    Ok(())
}

fn main() {}
