use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: Vec<u32>) -> Result<u32, Error> {
    #[side_effect(key = "all", in_doubt = "bank")]
    let all: Vec<Result<u32, String>> = all(&ids).await;
    #[read(key = "perhaps")]
    let perhaps = ids.first().map(|id| call(*id));
    #[side_effect(key = "both", in_doubt = "bank")]
    let both = (call(1), call(2));
    drop((perhaps, both));
    Ok(all.len() as u32)
}

async fn all(ids: &[u32]) -> Vec<Result<u32, String>> {
    ids.iter().map(|id| call(*id)).collect()
}

fn call(id: u32) -> Result<u32, String> {
    Ok(id)
}

fn main() {}
