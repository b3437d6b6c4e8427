//! In a block that says `#[durable_methods]` it is known what `Self` is.

use std::rc::Rc;

use durable_runtime::prelude::*;

struct Desk<T> {
    session: Session,
    rate: T,
}

#[durable_methods]
impl<T: Clone + Send + Sync> Desk<T> {
    #[durable_workflow(session = self.session)]
    async fn pay(&self) -> anyhow::Result<u32> {
        let amount = Rc::new(1);
        #[side_effect(key = "pay", in_doubt = "bank")]
        let entry = call(*amount).await?;
        let _ = self.rate.clone();
        Ok(entry + *amount)
    }
}

async fn call(amount: u32) -> anyhow::Result<u32> {
    Ok(amount)
}

fn main() {}
