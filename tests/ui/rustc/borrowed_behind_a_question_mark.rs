//! What is borrowed is known by its type, and to ask for the type would fix it too early where it comes later: behind a
//! `?` the compiler's own words stay, unless the `let` says the type.
use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, name: &str) -> Result<usize, Error> {
    #[read(key = "first")]
    let first = call(name).await?;
    Ok(first.len())
}

async fn call(name: &str) -> Result<&str, Error> {
    Ok(name)
}

fn main() {}
