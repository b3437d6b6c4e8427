use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: Option<u32>, more: Vec<u32>) -> Result<(), Error> {
    let _all: Vec<_> = more.iter().map(|id| account(session, *id)).collect();
    let many = more.iter().map(|id| account(session, *id)).collect::<Vec<_>>();
    println!("{} accounts", many.len());
    match id.map(|id| account(session, id)) {
        Some(_second) => {}
        None => {}
    }
    if let (Some(_third), _) = (id.map(|id| account(session, id)), 3) {}
    Ok(())
}

#[durable_workflow(key = "account/{id}")]
async fn account(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "open", in_doubt = "bank")]
    send(id).await?;
    Ok(())
}

async fn send(_: u32) -> Result<(), Error> {
    Ok(())
}

fn main() {}
