use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    let first = async {
        #[read(key = "first")]
        look(id).await
    };
    let second = async |id: u32| {
        #[read(key = "second/{id}")]
        let found = look(id).await;
        Some(found)
    };
    Ok(first.await + second(id).await.unwrap_or_default())
}

async fn look(id: u32) -> u32 {
    id
}

fn main() {}
