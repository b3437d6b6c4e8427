use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn issue(session: &Session) -> Result<(), Error> {
    #[side_effect(key = "issue", in_doubt = "ada", secrets = "redact")]
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
