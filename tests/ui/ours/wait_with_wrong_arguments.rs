//! Arguments of waits that are mistyped, or mean nothing.
use durable_runtime::prelude::*;

#[durable_workflow]
async fn waits(session: &Session, rounds: u32) -> Result<(), durable_runtime::Error> {
    #[decision(key = "one", asks = "finance", show = rounds)]
    let _one: Approval = session.decide().await?;
    #[decision(key = "two", on_expiry = "too late")]
    let _two: Approval = session.decide().await?;
    #[decision(key = "three", expires = "tomorrow")]
    let _three: Approval = session.decide().await?;
    #[sleep(key = "four", until = "noon")]
    session.sleep(std::time::Duration::ZERO).await?;
    for _ in 0..rounds {
        #[sleep(key = "five")]
        session.sleep(std::time::Duration::ZERO).await?;
    }
    Ok(())
}

fn main() {}
