use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

#[durable_workflow]
async fn parent(session: &Session, id: u32, ids: Vec<u32>) -> Result<(), Error> {
    #[run(key = "welcome/{id}")]
    welcome(session, id).await?;
    #[read(key = "welcome/1")]
    let one = id + 1;
    #[run(key = "welcome/{one}")]
    welcome(session, one).await?;
    Ok(())
}

fn main() {}
