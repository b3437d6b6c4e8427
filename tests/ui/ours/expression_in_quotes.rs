use durable_runtime::prelude::*;
use durable_runtime::{Error, Failure};

#[durable_workflow]
async fn pay(session: &Session) -> Result<(), Error> {
    #[side_effect(key = "pay" as pay, verify = "find(pay).await", classify = "said")]
    call(pay).await?;
    Ok(())
}

fn said(_: &Error) -> Failure {
    Failure::rejected()
}

async fn find(_: &StepKey) -> bool {
    true
}

async fn call(_: &StepKey) -> Result<(), Error> {
    Ok(())
}

fn main() {}
