use durable_runtime::prelude::*;
use durable_runtime::{Error, StepKey};

#[durable_workflow]
async fn pay(session: &Session, order: u32, orders: Vec<u32>) -> Result<u32, Error> {
    #[side_effect(key = "pay/{order}" as order, idempotent)]
    let paid = send(order, order).await?;
    #[side_effect(key = "paid" as paid, idempotent)]
    send(paid, 3).await?;
    for (place, item) in orders.iter().enumerate() {
        #[side_effect(key = "item/{place}" as item, idempotent)]
        send(item, *item).await?;
    }
    if let Some(first) = orders.first() {
        #[side_effect(key = "first" as first, idempotent)]
        send(first, *first).await?;
    }
    match orders.last() {
        Some(last) => {
            #[side_effect(key = "last" as last, idempotent)]
            send(last, *last).await?
        }
        None => 0,
    };
    tokio::join!(async {
        let turn = 3;
        #[side_effect(key = "turn" as turn, idempotent)]
        send(turn, turn).await
    });
    #[side_effect(key = "session" as session, idempotent)]
    send(session, 3).await?;
    Ok(order)
}

/// A name that is bound elsewhere, or by what the step gives, is free.
#[durable_workflow]
async fn free(session: &Session, orders: Vec<u32>) -> Result<u32, Error> {
    for item in &orders {
        let half = item / 2;
        drop(half);
    }
    #[side_effect(key = "item" as item, idempotent)]
    let item = send(item, 3).await?;
    #[side_effect(key = "half" as half, idempotent)]
    send(half, item).await?;
    Ok(item)
}

async fn send(_: &StepKey, n: u32) -> Result<u32, Error> {
    Ok(n)
}

fn main() {}
