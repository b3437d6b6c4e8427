use durable_runtime::Error;
use durable_runtime::prelude::*;

macro_rules! first {
    ($first:expr, $($rest:tt)*) => { $first };
}

macro_rules! either {
    ($step:expr) => { if std::process::id() == 0 { $step } else { $step } };
}

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    let paid = either!(#[side_effect(key = "pay", in_doubt = "bank")] call(id).await?);
    let sent = first!(paid, #[side_effect(key = "mail", in_doubt = "bank")] call(id).await?);
    #[cfg(any())]
    let sent = first!(paid, #[side_effect(key = "never", in_doubt = "bank")] call(id).await?);
    Ok(sent)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
