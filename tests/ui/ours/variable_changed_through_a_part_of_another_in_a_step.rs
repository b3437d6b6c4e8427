use std::collections::BTreeMap;

use durable_runtime::Error;
use durable_runtime::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
struct Order {
    id: u32,
    prices: Vec<u32>,
    paid: u32,
}

#[durable_workflow]
async fn pay(session: &Session, mut orders: Vec<Order>, mut sums: BTreeMap<u32, u32>) -> Result<u32, Error> {
    for order in &mut orders {
        let Order { id, paid, .. } = order;
        #[side_effect(key = "destructured/{id}", in_doubt = "treasury")]
        {
            *paid = call(1).await?;
            Ok::<(), Error>(())
        }?;
    }
    for order in orders.iter_mut().filter(|order| order.paid > 0) {
        match order {
            Order { id, paid, .. } => {
                #[side_effect(key = "matched/{id}", in_doubt = "treasury")]
                {
                    *paid += 1;
                    call(2).await
                }?
            }
        };
        for (n, price) in order.prices.iter_mut().enumerate() {
            let id = order.id;
            #[side_effect(key = "inner/{id}/{n}", in_doubt = "treasury")]
            {
                *price = 0;
                call(3).await
            }?;
        }
    }
    let sum = sums.get_mut(&1).ok_or_else(missing)?;
    #[side_effect(key = "found", in_doubt = "treasury")]
    {
        *sum = 0;
        call(4).await
    }?;
    for (order, sum) in orders.iter_mut().zip(sums.values_mut()) {
        let id = order.id;
        #[side_effect(key = "zipped/{id}", in_doubt = "treasury")]
        {
            *sum += 1;
            call(5).await
        }?;
    }
    Ok(0)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn missing() -> Error {
    unreachable!()
}

fn main() {}
