use std::error::Error;

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Box<dyn Error>> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    let paid = call(1).await?;
    #[side_effect(key = "mail", in_doubt = "bank", errors = "recorded")]
    let mailed = call(2).await;
    Ok(paid + mailed.unwrap_or_default())
}

async fn call(id: u32) -> Result<u32, Box<dyn Error>> {
    Ok(id)
}

fn main() {}
