use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, at: std::time::SystemTime) -> Result<(), Error> {
    #[side_effect(key = "pay/{at}", in_doubt = "bank")]
    call()?;
    Ok(())
}

fn call() -> Result<(), Error> {
    Ok(())
}

fn main() {}
