use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> u32 {
    id
}

fn main() {}
