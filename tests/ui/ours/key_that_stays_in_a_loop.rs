use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32, ids: Vec<u32>) -> Result<(), Error> {
    loop {
        let order = id;
        #[side_effect(key = "pay/{order}", in_doubt = "treasury")]
        let paid = call(order).await?;
        if paid > 3 {
            break;
        }
    }
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
