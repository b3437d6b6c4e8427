use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<impl Sized, Error> {
    Ok(0)
}

fn main() {}
