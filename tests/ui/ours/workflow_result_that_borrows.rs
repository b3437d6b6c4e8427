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

type Done<T> = Result<T, Error>;

#[durable_workflow]
async fn first<'a>(session: &Session, names: &'a [String]) -> Done<&'a str> {
    Ok(&names[0])
}

fn main() {}
