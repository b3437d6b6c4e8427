use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, logs: Box<dyn Fn(&str)>) -> Result<(), Error> {
    Ok(())
}

fn main() {}
