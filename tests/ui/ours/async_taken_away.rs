use durable_runtime::Error;
use durable_runtime::prelude::*;

#[tokio::main]
#[durable_workflow(session = open().await)]
async fn main() -> Result<(), Error> {
    call().await
}

async fn call() -> Result<(), Error> {
    Ok(())
}

async fn open() -> Session {
    unimplemented!()
}
