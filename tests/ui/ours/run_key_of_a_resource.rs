use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Desk {
    name: String,
}

#[durable_workflow(key = "open/{desk.name}")]
async fn open(session: &Session, #[resource] desk: &Desk, day: u32) -> Result<u32, Error> {
    #[run(key = "day/{desk.name}")]
    work(session, desk, day).await?;
    #[run(key = "all/{day}")]
    work(session, desk, day).await?;
    Ok(0)
}

#[durable_workflow]
async fn work(session: &Session, #[resource] desk: &Desk, day: u32) -> Result<u32, Error> {
    let _ = desk;
    #[side_effect(key = "greet/{day}", in_doubt = "the desk")]
    let greeted = call(day).await?;
    Ok(greeted)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
