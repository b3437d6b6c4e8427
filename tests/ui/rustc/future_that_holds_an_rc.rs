//! A function that returns a future: `impl Future` leaves it open, a box says it.

use std::pin::Pin;
use std::rc::Rc;

use durable_runtime::prelude::*;

#[durable_workflow]
fn open<T>(session: &Session, amount: T) -> impl Future<Output = anyhow::Result<u32>>
where
    T: Into<u32> + Clone + serde::Serialize + serde::de::DeserializeOwned + Send + Sync,
{
    async move {
        let amount = Rc::new(amount.into());
        #[side_effect(key = "pay", in_doubt = "bank")]
        let entry = call(*amount).await?;
        Ok(entry + *amount)
    }
}

#[durable_workflow]
fn boxed(session: &Session) -> Pin<Box<dyn Future<Output = anyhow::Result<u32>> + Send + '_>> {
    Box::pin(async move {
        let amount = Rc::new(1);
        #[side_effect(key = "pay", in_doubt = "bank")]
        let entry = call(*amount).await?;
        Ok(entry + *amount)
    })
}

async fn call(amount: u32) -> anyhow::Result<u32> {
    Ok(amount)
}

fn main() {
    let _ = (open::<u32>, boxed);
}
