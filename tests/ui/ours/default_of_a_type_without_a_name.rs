use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, #[input(default)] id: impl KeyPart) -> Result<(), Error> {
    Ok(())
}

fn main() {}
