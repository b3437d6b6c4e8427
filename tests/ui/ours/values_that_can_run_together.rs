use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(goal = "pay")]
async fn pay(session: &Session, payer: String, payee: String) -> Result<(), Error> {
    #[side_effect(key = "pay/{payer}-{payee}", in_doubt = "treasury")]
    call().await?;
    Ok(())
}

async fn call() -> Result<(), Error> {
    Ok(())
}

fn main() {}
