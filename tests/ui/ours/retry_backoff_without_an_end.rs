use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[read(key = "look", retry(attempts = 3, backoff = "1s.."))]
    let seen = call(1).await?;
    Ok(seen)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
