use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, name: &str) -> Result<usize, Error> {
    #[read(key = "first")]
    let first: &str = call(name).await?;
    #[read(key = "last")]
    let last: Option<&str> = name.split(' ').next_back();
    Ok(first.len() + last.map_or(0, str::len))
}

async fn call(name: &str) -> Result<&str, Error> {
    Ok(name)
}

fn main() {}
