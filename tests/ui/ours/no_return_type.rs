use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) {
    println!("nothing to report");
}

fn main() {}
