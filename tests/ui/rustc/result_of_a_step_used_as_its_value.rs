use durable_runtime::prelude::*;
use durable_runtime::{Error, StepKey};

#[durable_workflow]
async fn as_the_value(session: &Session, n: u32) -> Result<usize, Error> {
    #[read(key = "text")]
    let text = call(n).await;
    let words = text.split(' ').count();
    #[side_effect(key = "send/{text}" as send, idempotent)]
    let sent = post(send, text).await;
    Ok(sent + 1 + words)
}

#[durable_workflow]
async fn as_a_result(session: &Session, n: u32) -> Result<String, Error> {
    #[read(key = "one")]
    let one = call(n).await;
    #[read(key = "two")]
    let two = call(n).await;
    match (one, two) {
        (Ok(one), Ok(two)) => Ok(one + &two),
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

async fn call(n: u32) -> Result<String, Error> {
    Ok(n.to_string())
}

async fn post(_: &StepKey, text: String) -> Result<usize, Error> {
    Ok(text.len())
}

fn main() {}
