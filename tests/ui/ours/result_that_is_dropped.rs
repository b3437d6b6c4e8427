use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn inner(session: &Session) -> Result<(), Error> {
    Ok(())
}

#[durable_workflow]
async fn outer(session: &Session, id: u32) -> Result<(), Error> {
    #[run(key = "one")]
    inner(session).await;
    if id > 0 {
        #[side_effect(key = "pay", in_doubt = "treasury", errors = "recorded")]
        call(id).await;
    }
    #[run(key = "two", errors = "later")]
    inner(session).await;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
