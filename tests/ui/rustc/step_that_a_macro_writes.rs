//! The workflow is read before its macros are expanded, and the compiler gates an attribute on a statement before it asks
//! ours, so its words come first.
use durable_runtime::Error;
use durable_runtime::prelude::*;

macro_rules! pay {
    ($id:expr) => {
        #[side_effect(key = "pay", in_doubt = "bank")]
        let _paid = call($id).await?;
    };
}

#[durable_workflow]
async fn pay_all(session: &Session, id: u32) -> Result<(), Error> {
    pay!(id);
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
