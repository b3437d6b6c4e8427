use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: Vec<u32>) -> anyhow::Result<u32> {
    let mut tasks = tokio::task::JoinSet::new();
    for id in ids {
        tasks.spawn(async move {
            #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
            let entry = call(id).await?;
            Ok::<_, Error>(entry)
        });
    }
    Ok(tasks.join_all().await.len() as u32)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
