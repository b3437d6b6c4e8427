use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    let is_paid = call(1).await.is_ok();
    #[side_effect(key = "mail", in_doubt = "bank")]
    let mailed = call(2).await.unwrap_or_else(|_| 0);
    #[read(key = "look")]
    let seen = call(3).await.is_err();
    Ok(u32::from(is_paid && seen) + mailed)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
