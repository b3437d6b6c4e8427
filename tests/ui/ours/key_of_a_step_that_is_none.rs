//! The name of a key is known though its step is refused.
use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: Vec<u32>) -> Result<(), Error> {
    #[side_effect(key = "pay/{id}" as pay, in_doubt = "treasury")]
    for id in &ids {
        call(pay.token(), *id).await?;
    }
    #[side_effect(key = "mail" as mail, in_doubt = "treasury")]
    if ids.is_empty() {
        call(mail.token(), 0).await?;
    }
    match ids.len() {
        #[side_effect(key = "one" as one, in_doubt = "treasury")]
        1 => call(one.token(), 1).await?,
        _ => 0,
    };
    Ok(())
}

async fn call(_: impl ToString, _: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
