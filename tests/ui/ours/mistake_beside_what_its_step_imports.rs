//! What is imported for the arguments of a refused step alone is used.

#![deny(unused)]

use bank::{AMOUNT, classify, find, shown};
use durable_runtime::prelude::*;
use durable_runtime::{Error, Failure};

mod bank {
    use super::{Error, Failure};

    pub const AMOUNT: u32 = 1;

    pub fn classify(_: &Error) -> Failure {
        Failure::rejected()
    }

    pub async fn find() -> Result<Option<u32>, Error> {
        Ok(None)
    }

    pub fn shown() -> u32 {
        0
    }
}

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "pay", verify = find().await?, classify = classify, args = AMOUNT, settel = "1s")]
    let paid = call(1).await?;
    #[decision(key = "agree", shows = shown(), expires = "24h")]
    let agreed: u32 = session.decide().await?;
    Ok(paid + agreed)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {
    let _ = pay;
}
