use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

#[durable_workflow]
async fn parent(session: &Session, id: u32, ids: Vec<u32>) -> Result<(), Error> {
    #[side_effect(key = "outer", in_doubt = "operator")]
    { #[run(key = "welcome/{id}")] welcome(session, id).await }?;
    #[run(key = "inner/{id}")]
    welcome(session, #[read(key = "look")] { id }).await?;
    Ok(())
}

fn main() {}
