use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, #[default = 3] n: u32) -> Result<(), Error> {
    Ok(())
}

fn main() {}
