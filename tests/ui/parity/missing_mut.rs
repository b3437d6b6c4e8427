//! What a step changes is `mut`.

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

fn counted_from(start: u32) -> u32 {
    start
}

async fn bump(count: &mut u32) -> anyhow::Result<u32> {
    *count += 1;
    Ok(*count)
}

#[durable_workflow]
async fn pay(_session: &Session, id: u32) -> anyhow::Result<u32> {
    let count = counted_from(id);
    #[side_effect(key = "bump", in_doubt = "bank")]
    let after = bump(&mut count).await?;
    Ok(after)
}

fn main() {
    let _ = pay;
}
