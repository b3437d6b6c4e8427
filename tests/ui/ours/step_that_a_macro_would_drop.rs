use durable_runtime::Error;
use durable_runtime::prelude::*;
use durable_runtime::side_effect as effect;

macro_rules! strip {
    (# [ $($attribute:tt)* ] $($expression:tt)*) => { $($expression)* };
    ($expression:expr) => { $expression };
}

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    strip!(#[effect(key = "alias", in_doubt = "treasury")] call(id).await?);
    strip!(#[cfg_attr(all(), side_effect(key = "conditional", in_doubt = "treasury"))] call(id).await?);
    Ok(0)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
