use std::rc::Rc;

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
struct Account {
    id: u32,
    #[serde(skip)]
    name: Rc<str>,
}

struct Bank;

#[durable_workflow]
async fn pay(session: &Session, #[resource] bank: &Bank) -> Result<u32, Error> {
    #[side_effect(key = "pay", in_doubt = "bank")]
    let account = open(bank).await?;
    #[read(key = "count")]
    let count = Rc::new(account.id);
    Ok(*count)
}

async fn open(_: &Bank) -> Result<Account, Error> {
    Ok(Account::default())
}

fn main() {}
