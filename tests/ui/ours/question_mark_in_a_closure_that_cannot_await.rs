use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, n: Option<u32>) -> Result<Vec<u32>, Error> {
    let one: Option<u32> = n.map(|n| {
        #[side_effect(key = "one/{n}", in_doubt = "treasury")]
        call(n).await?
    });
    let mut calls = Vec::new();
    for i in 0..3 {
        #[run(key = "child/{i}")]
        calls.push(child(session, i));
    }
    drop((one, calls));
    let all = (0..3).map(|i| {
        #[read(key = "all/{i}")]
        call(i).await?
    });
    Ok(all.collect())
}

#[durable_workflow]
async fn child(session: &Session, i: u32) -> Result<u32, Error> {
    Ok(i)
}

async fn call(n: u32) -> Result<u32, Error> {
    Ok(n)
}

fn main() {}
