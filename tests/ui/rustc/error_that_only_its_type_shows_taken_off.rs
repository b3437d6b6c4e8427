use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    let is_paid = call(1).await.map_or(false, |paid| paid > 0);
    #[side_effect(key = "mail", in_doubt = "bank")]
    let mailed = call(2).await.unwrap_or_default();
    Ok(mailed + u32::from(is_paid))
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
