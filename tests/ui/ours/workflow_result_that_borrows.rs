use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn longest<'a>(session: &Session, names: &'a [String]) -> Result<&'a str, Error> {
    Ok(&names[0])
}

#[durable_workflow]
async fn each<'a>(session: &Session, names: &'a [String]) -> Result<Vec<(&'a str, u32)>, Error> {
    Ok(vec![(&names[0], 1)])
}

fn main() {}
