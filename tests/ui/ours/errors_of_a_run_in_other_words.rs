use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn all(session: &Session, id: u32) -> Result<(), Error> {
    #[run(key = "a/{id}", errors = "recorded")]
    welcome(session, id).await?;
    #[run(key = "b/{id}", errors = "never")]
    welcome(session, id).await?;
    #[run(key = "c/{id}", erors = "later")]
    welcome(session, id).await?;
    Ok(())
}

#[durable_workflow]
async fn welcome(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
