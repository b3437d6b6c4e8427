//! A plain closure cannot name the lifetime of its argument in what it gives, so no bound of ours is asked: the compiler
//! says so for each bound of `run` and of its future. The documentation of `run` says what to write.
use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(goal = "pay")]
async fn pay(session: &Session) -> Result<u32, Error> {
    Ok(0)
}

async fn right() {
    let _ = durable_runtime::run("session", pay).await;
    let _ = durable_runtime::run("session", async |session| pay(session).await).await;
}

async fn wrong() {
    let _ = durable_runtime::run("session", |session| pay(session)).await;
}

fn main() {
    let _ = (right, wrong);
}
