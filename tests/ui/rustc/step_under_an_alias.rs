//! The import of the other name is unused, as the compiler says: to use it here, the expansion would have to name it, and
//! then a name that is not imported would be a second mistake.
#![deny(unused_imports)]
use durable_runtime::{Error, Session, durable_workflow, read as look};

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[look(key = "pay")]
    let entry = call().await?;
    Ok(entry)
}

async fn call() -> Result<u32, Error> {
    Ok(0)
}

fn main() {
    let _ = pay;
}
