use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Bank;

impl Bank {
    fn find(&self, _: &StepKey) -> Option<u32> {
        None
    }
}

#[durable_workflow]
async fn pay(session: &Session, #[resource] bank: &Bank) -> Result<u32, Error> {
    #[side_effect(key = "pay", verify = |key| bank.find(key))]
    let paid = call(1).await?;
    #[side_effect(key = "mail", verify = Bank::find)]
    let mailed = call(2).await?;
    Ok(paid + mailed)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
