use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: Option<u32>, more: Vec<u32>, is_new: bool) -> Result<(), Error> {
    _ = account(session, 1);
    let _ = &account(session, 2);
    let _ = (account(session, 3), 3);
    let _opened = if is_new { Some(account(session, 4)) } else { None };
    id.map(|id| account(session, id));
    is_new.then(|| {
        let id = 5;
        account(session, id)
    });
    for _ in more.iter().map(|id| account(session, *id)) {}
    let mut accounts = Vec::new();
    for id in more {
        accounts.push(account(session, id));
    }
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
