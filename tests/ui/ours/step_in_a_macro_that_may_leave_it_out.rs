use durable_runtime::Error;
use durable_runtime::prelude::*;

macro_rules! debug {
    ($($argument:expr),*) => {
        if cfg!(debug_assertions) { println!($($argument),*); }
    };
}

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<(), Error> {
    debug_assert_eq!(#[side_effect(key = "pay", in_doubt = "bank")] call(id).await?, 0);
    debug!("{}", #[side_effect(key = "mail", in_doubt = "bank")] call(id).await?);
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
