use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: u32) -> Result<u32, Error> {
    Ok(id)
}

#[durable_workflow]
async fn parent(session: &Session, id: u32, ids: Vec<u32>) -> Result<(), Error> {
    for other in ids {
        #[run(key = "welcome/{id}")]
        welcome(session, other).await?;
    }
    let call = async |other: u32| {
        #[run(key = "called")]
        welcome(session, other).await
    };
    call(id).await?;
    Ok(())
}

fn main() {}
