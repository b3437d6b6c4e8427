//! Not every number is three.
// differs: the suggested `else` stands one column behind the `?`

#![allow(dead_code)]

use durable_runtime::prelude::*;

#[derive(Debug)]
struct Order {
    id: u32,
    name: String,
}

mod bank {
    pub struct Receipt {
        pub entry: u32,
        number: u32,
    }

    impl Receipt {
        pub fn new(entry: u32) -> Self {
            Self { entry, number: entry }
        }
    }
}

async fn call(amount: u32) -> anyhow::Result<u32> {
    Ok(amount)
}

async fn send(text: String) -> anyhow::Result<u32> {
    Ok(text.len().try_into()?)
}

async fn bump(count: &mut u32) -> anyhow::Result<u32> {
    *count += 1;
    Ok(*count)
}

#[durable_workflow]
async fn pay(_session: &Session, id: u32) -> anyhow::Result<u32> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    let 3 = call(id).await?;
    Ok(id)
}

fn main() {
    let _ = pay;
}
