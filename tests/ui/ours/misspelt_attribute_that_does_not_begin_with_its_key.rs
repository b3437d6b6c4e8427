use std::time::Duration;

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, n: u32) -> Result<u32, Error> {
    #[side_efect(title = "pay", key = "pay", in_doubt = "treasury")]
    call(n).await?;
    #[raed]
    let rate = call(n).await?;
    #[desicion]
    let agree: Approval = session.decide().await?;
    #[slep]
    session.sleep(Duration::from_secs(60)).await?;
    #[step]
    let paid = call(n).await?;
    #[activity(name = "mail")]
    call(n + paid).await?;
    Ok(rate + u32::from(agree.is_approved()))
}

async fn call(n: u32) -> Result<u32, Error> {
    Ok(n)
}

fn main() {}
