use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn issue(session: &Session) -> Result<(), Error> {
    #[read(key = "issue", refetch = find().await)]
    let key = call().await?;
    let _: u32 = key;
    Ok(())
}

async fn call() -> Result<u32, Error> {
    Ok(0)
}

async fn find() -> Option<u32> {
    None
}

fn main() {
    let _ = find;
}
