//! Whatever the code behind the step expects, the missing `.await` is the one mistake.
use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
    let entry = call(id);
    #[read(key = "look", timeout = "3s")]
    let found = Box::pin(look(id));
    #[side_effect(key = "mail/{id}", in_doubt = "treasury")]
    call(id);
    Ok(entry.max(1) + found.unwrap_or(0))
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

async fn look(_: u32) -> Option<u32> {
    None
}

fn main() {}
