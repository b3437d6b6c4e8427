use durable_runtime::Error;
use durable_runtime::prelude::*;

use serde::Serialize;

#[durable_workflow]
async fn pay<T: Serialize>(session: &Session, id: T, other: &impl Serialize, list: [Error; 2]) -> Result<(), Error> {
    Ok(())
}

fn main() {}
