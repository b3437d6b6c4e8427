use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay<T: Clone>(session: &Session, #[resource] value: &T) -> Result<u32, Error> {
    #[read(key = "copy")]
    let _copy = value.clone();
    Ok(0)
}

fn main() {}
