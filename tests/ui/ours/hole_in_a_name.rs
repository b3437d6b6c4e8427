//! Whom to ask is one for all: what stands there in braces would be shown as it stands.
use durable_runtime::prelude::*;

#[durable_workflow]
async fn work(session: &Session, owner: String) -> Result<(), durable_runtime::Error> {
    #[side_effect(key = "act", in_doubt = "the owner {owner}")]
    act(&owner).await?;
    #[decision(key = "agree", ask = "{owner}")]
    let _: bool = session.decide().await?;
    Ok(())
}

async fn act(_: &str) -> Result<(), durable_runtime::Error> {
    Ok(())
}

fn main() {}
