use durable_runtime::Error;
use durable_runtime::prelude::*;

mod facade {
    pub use durable_runtime as durable;
}

#[durable_workflow(crate = facade::durable)]
async fn pay(session: &Session) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
