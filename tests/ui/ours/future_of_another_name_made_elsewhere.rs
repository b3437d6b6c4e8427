use std::pin::Pin;

use durable_runtime::Error;
use durable_runtime::prelude::*;

type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[durable_workflow]
fn pay<'a>(session: &'a Session) -> Later<'a, Result<(), Error>> {
    let work = async move { Ok(()) };
    Box::pin(work)
}

fn main() {}
