//! Nothing calls the workflow.
// differs: the compiler does not warn of an unused function that a macro wrote

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

mod unused {
    #![warn(dead_code)]

    use durable_runtime::prelude::*;

    #[durable_workflow]
    async fn forgotten(_session: &Session, id: u32) -> anyhow::Result<u32> {
        #[side_effect(key = "pay", in_doubt = "bank")]
        let entry = super::call(id).await?;
        Ok(entry)
    }
}

#[durable_workflow]
async fn pay(_session: &Session) -> anyhow::Result<()> {
    Ok(())
}

fn main() {
    let _ = pay;
}
