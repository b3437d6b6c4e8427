use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn all(session: &Session, id: u32) -> Result<(), Error> {
    #[run(key = "welcome/{id}", errors = "later")]
    let one = welcome(session, id).await?;
    let _ = one;
    Ok(())
}

#[durable_workflow]
async fn welcome(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
