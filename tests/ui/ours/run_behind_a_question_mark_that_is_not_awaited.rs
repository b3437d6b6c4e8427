use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

#[durable_workflow]
async fn parent(session: &Session, id: u32) -> Result<(), Error> {
    #[run(key = "first/{id}")]
    welcome(session, id)?;
    #[run(key = "second/{id}")]
    let _welcomed: u32 = welcome(session, id)?;
    Ok(())
}

fn main() {}
