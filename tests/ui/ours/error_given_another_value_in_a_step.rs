use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    let paid = call(1).await.ok().map_or(0, |paid| paid + 1);
    #[side_effect(key = "mail", in_doubt = "bank")]
    let mailed = call(2).await.map_or_else(|_| 0, |mailed| mailed);
    #[side_effect(key = "book", in_doubt = "bank")]
    let booked = call(3).await.or_else(|_| Ok::<_, Error>(0))?;
    Ok(paid + mailed + booked)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
