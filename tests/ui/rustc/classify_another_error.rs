use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "pay/{id}" as pay, idempotent, classify = of_io)]
    call(pay.token()).await?;
    Ok(())
}

async fn call(_: impl ToString) -> Result<u32, Error> {
    Ok(0)
}

fn of_io(_: &std::io::Error) -> durable_runtime::Failure {
    durable_runtime::Failure::unknown()
}

fn main() {}
