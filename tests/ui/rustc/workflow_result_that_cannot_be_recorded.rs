use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Receipt;

#[durable_workflow]
async fn pay(session: &Session) -> Result<Receipt, Error> {
    Ok(Receipt)
}

#[durable_workflow]
async fn pass_on<T>(session: &Session, #[resource] value: T) -> Result<Option<T>, Error> {
    Ok(Some(value))
}

fn main() {}
