use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Bank;

#[durable_workflow(goal = , timeout = , local = )]
async fn pay(session: &Session, #[resource] bank: &Bank, #[input(default = )] id: u32) -> Result<u32, Error> {
    #[side_effect(key = , in_doubt = "treasury")]
    let one = call(id).await?;
    #[side_effect(key = "two", title = , verify = bank.)]
    let two = call(id).await?;
    #[side_effect(key = "three" as, idempotent = , classify = , retry(attempts = , backoff = ))]
    let three = call(id).await?;
    #[side_effect(key = "four", in_doubt = , retry = , errors = )]
    let four = call(id).await?;
    #[decision(key = "five", shows = , expires = , on_expiry = )]
    let _five: Approval = session.decide().await?;
    Ok(one + two + three + four)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
