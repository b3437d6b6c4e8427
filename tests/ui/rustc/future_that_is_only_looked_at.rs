use std::pin::Pin;

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: Option<u32>, more: Vec<u32>, is_new: bool) -> Result<usize, Error> {
    let has_one = id.map(|id| account(session, id)).is_some();
    let count = more.iter().map(|id| account(session, *id)).count();
    if let Some(_first) = Some(account(session, 1)) {}
    let Some(_) = is_new.then(|| account(session, 2)) else { return Ok(0) };
    match account(session, 3) {
        _ => {}
    }
    let _opened: Pin<Box<dyn Future<Output = Result<(), Error>> + Send + '_>> = Box::pin(account(session, 4));
    let _later;
    _later = account(session, 5);
    std::mem::forget(account(session, 6));
    vec![account(session, 7)];
    if is_new { Some(account(session, 8)) } else { None };
    Ok(count + usize::from(has_one))
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
