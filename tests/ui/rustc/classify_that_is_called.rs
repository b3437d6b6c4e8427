//! A call may make what classifies, `made()`, and is then right.
use durable_runtime::prelude::*;
use durable_runtime::{Error, Failure};

struct Bank;

impl Bank {
    fn classify(_: &Error) -> Failure {
        Failure::unknown()
    }
}

fn made() -> impl Fn(&Error) -> Failure {
    Bank::classify
}

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> anyhow::Result<u32> {
    #[side_effect(key = "made/{id}", in_doubt = "bank", classify = made())]
    let made = call(call(id).await?).await?;
    #[side_effect(key = "pay/{id}", in_doubt = "bank", classify = Bank::classify())]
    let paid = call(id).await?;
    #[side_effect(key = "both/{id}", in_doubt = "bank", classify = Bank::classify())]
    let both = call(call(id).await?).await?;
    Ok(made + paid + both)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
