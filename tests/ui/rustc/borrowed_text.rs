use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, name: &str) -> Result<u32, Error> {
    #[read(key = "first")]
    let first = name.trim();
    Ok(first.len() as u32)
}

fn main() {}
