use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay" as pay, verify = find(pay).await.ok().flatten())]
    let paid = call(id).await?;
    #[side_effect(key = "mail" as mail, verify = match find(mail).await { Ok(sent) => sent, Err(_) => None })]
    let sent = call(id).await?;
    #[side_effect(key = "book" as book, verify = if let Ok(booked) = find(book).await { booked } else { None })]
    let booked = call(id).await?;
    #[side_effect(key = "key" as key, verify = find(key).await, refetch = find(key).await.unwrap_or_else(|_| None))]
    let made = call(id).await?;
    Ok(paid + sent + booked + made)
}

async fn find(_: &StepKey) -> Result<Option<u32>, Error> {
    Ok(None)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
