use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

#[durable_workflow]
async fn parent(session: &Session, id: u32, ids: Vec<u32>) -> Result<(), Error> {
    #[run(keyy = "welcome/{id}", key = "welcome/{id}")]
    welcome(session, id).await?;
    #[run(key = "later/{id}", settle = "1s")]
    welcome(session, id).await?;
    #[run(key = "verified/{id}", verify = welcome(session, id).await)]
    welcome(session, id).await?;
    Ok(())
}

fn main() {}
