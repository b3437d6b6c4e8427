use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<(), Error> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    {}
    Ok(())
}

fn main() {}
