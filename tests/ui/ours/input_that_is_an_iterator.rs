use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: impl IntoIterator<Item = u32>) -> Result<(), Error> {
    Ok(())
}

fn main() {}
