use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, text: &str) -> Result<u32, Error> {
    #[read(key = "number")]
    let number = text.parse().unwrap();
    call(number).await
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
