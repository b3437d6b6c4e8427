use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, name: &str) -> Result<(), Error> {
    #[side_effect(key = "pay/{name:.3}", in_doubt = "bank")]
    call()?;
    Ok(())
}

fn call() -> Result<(), Error> {
    Ok(())
}

fn main() {}
