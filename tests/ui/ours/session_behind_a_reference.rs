use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(&session: &Session) -> Result<String, Error> {
    Ok(session.id().to_string())
}

fn main() {}
