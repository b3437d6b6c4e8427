use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

#[durable_workflow]
async fn parent(session: &Session, id: u32, ids: Vec<u32>) -> Result<(), Error> {
    #[run(key = "welcome/{id}", title = "welcome {user}")]
    welcome(session, "ann").await?;
    #[run(key = "unit/{idd}")]
    let all = welcome(session, ids.len()).await?;
    Ok(())
}

fn main() {}
