use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

#[run(key = "welcome")]
async fn parent(session: &Session) -> Result<u32, Error> {
    welcome(session, 1).await
}

fn main() {}
