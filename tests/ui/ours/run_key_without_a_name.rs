use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn inner(session: &Session) -> Result<(), Error> {
    Ok(())
}

#[durable_workflow]
async fn outer(session: &Session) -> Result<(), Error> {
    #[run("one")]
    inner(session).await?;
    #[run(keys = "two")]
    inner(session).await?;
    Ok(())
}

fn main() {}
