use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: &mut Vec<u32>) -> Result<(), Error> {
    ids.clear();
    Ok(())
}

fn main() {}
