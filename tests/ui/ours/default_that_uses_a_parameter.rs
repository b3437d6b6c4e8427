use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, net: u32, #[input(default = net * 2)] gross: u32) -> Result<(), Error> {
    Ok(())
}

fn main() {}
