//! Of what is wrong because of that, such as each `?`, nothing else is said.
use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Paid;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Paid {
    let start = call(id).await?;
    #[side_effect(key = "pay/{id}", in_doubt = "bank")]
    let entry = call(start).await?;
    #[side_effect(key = "mail/{id}", in_doubt = "bank")]
    call(call(entry).await?).await?;
    Paid
}

type Found<T> = Option<T>;

#[durable_workflow]
async fn find(session: &Session, id: u32) -> Found<u32> {
    let later = async |id: u32| {
        #[read(key = "look/{id}")]
        let found = call(call(id).await?).await?;
        Ok::<_, Error>(found)
    };
    Some(later(id).await?)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
