use durable_runtime::prelude::*;

struct Paid;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Paid {
    let _ = id;
    Paid
}

fn main() {}
