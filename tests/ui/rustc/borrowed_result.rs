use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, names: &[String]) -> Result<u32, Error> {
    #[read(key = "first")]
    let first = first(names);
    #[side_effect(key = "call", in_doubt = "treasury")]
    let called = call(names).await?;
    Ok((first.map_or(0, String::len) + called.len()) as u32)
}

fn first(names: &[String]) -> Option<&String> {
    names.first()
}

async fn call(names: &[String]) -> Result<&[String], Error> {
    Ok(names)
}

fn main() {}
