use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay/{id}", verify = find(&pay.token().to_string()).await)]
    let paid = call(&pay.token().to_string()).await?;
    #[side_effect(key = "mail" as mail, idempotent)]
    let mailed = call(&mail.token().to_string()).await?;
    Ok(paid + mailed)
}

async fn find(_: &str) -> Option<u32> {
    None
}

async fn call(_: &str) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
