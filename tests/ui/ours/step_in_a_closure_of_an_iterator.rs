use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: Vec<u32>) -> Result<u32, Error> {
    ids.iter().for_each(|id| {
        #[side_effect(key = "each/{id}", in_doubt = "bank")]
        call(*id).await;
    });
    let thread = std::thread::spawn(|| {
        #[side_effect(key = "thread", in_doubt = "bank")]
        call(1).await;
    });
    drop(thread);
    Ok(0)
}

async fn call(_: u32) {}

fn main() {}
