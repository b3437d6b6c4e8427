use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

#[durable_workflow]
async fn parent(session: &Session, id: u32, ids: Vec<u32>) -> Result<(), Error> {
    #[run]
    welcome(session, id).await?;
    #[run(title = "welcome {id}")]
    welcome(session, id).await?;
    Ok(())
}

fn main() {}
