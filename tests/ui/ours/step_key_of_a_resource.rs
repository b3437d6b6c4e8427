//! What a receiver or a name of one's own holds is not looked into.

use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Desk {
    name: String,
}

#[durable_workflow]
async fn work(session: &Session, #[resource] desk: &Desk, day: u32) -> Result<u32, Error> {
    #[side_effect(key = "greet/{desk.name}", in_doubt = "the desk")]
    let greeted = call(day).await?;
    #[read(key = "look/{day}/{desk.name}")]
    call(day).await?;
    #[sleep(key = "rest/{desk.name}")]
    session.sleep(std::time::Duration::ZERO).await?;
    Ok(greeted)
}

#[durable_workflow]
async fn again(session: &Session, #[resource] desk: &Desk, days: Vec<u32>) -> Result<(), Error> {
    let _ = desk;
    for desk in days {
        #[side_effect(key = "greet/{desk}", in_doubt = "the desk")]
        call(desk).await?;
    }
    Ok(())
}

impl Desk {
    #[durable_workflow(key = "open/{self.name}")]
    async fn open(&self, session: &Session, day: u32) -> Result<u32, Error> {
        #[side_effect(key = "open/{self.name}/{day}", in_doubt = "the desk")]
        let opened = call(day).await?;
        Ok(opened)
    }
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
