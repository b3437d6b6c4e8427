//! What a step reads through a borrow, and what drops a value that cannot fail: no mistakes.

#![allow(clippy::let_and_return, reason = "the shapes are the point")]

use durable_runtime::prelude::*;
use serde::{Deserialize, Serialize};

use super::bank::{Bank, Done, Failure, twice};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u32,
    paid: Option<u32>,
}

struct Client {
    calls: u32,
}

impl Client {
    fn push(&mut self) {
        self.calls += 1;
    }

    async fn book(&mut self, bank: &Bank, what: String) -> Done<u32> {
        self.push();
        bank.book(what).await
    }
}

#[tokio::test]
async fn what_is_borrowed_may_be_read_in_a_step_and_changed_behind_it() {
    #[durable_workflow]
    async fn borrows(
        session: &Session,
        #[resource] bank: &Bank,
        #[resource] clients: &mut [Client],
        mut orders: Vec<Order>,
    ) -> Done<Vec<Order>> {
        for (order, client) in orders.iter_mut().zip(clients.iter_mut()) {
            let Order { id, paid } = order;
            #[side_effect(key = "zipped/{id}", in_doubt = "bank")]
            let number = {
                client.push();
                client.book(bank, format!("zipped{id}")).await? + paid.unwrap_or(0)
            };
            *paid = Some(number);
        }
        let picked: Vec<&mut Order> = orders.iter_mut().filter(|order| order.id > 1).collect();
        for order in picked {
            let id = order.id;
            #[side_effect(key = "picked/{id}", in_doubt = "bank")]
            let paid = bank.book(format!("picked{}", order.id)).await?;
            order.paid = order.paid.map(|before| before + paid);
        }
        bank.last()?;
        Ok(orders)
    }
    let orders = [(1, None), (2, Some(4))].map(|(id, paid)| Order { id, paid });
    let (value, booked) = twice(async |session, bank| {
        let mut clients = [Client { calls: 0 }, Client { calls: 0 }];
        borrows(&session, bank, &mut clients, orders.to_vec()).await
    })
    .await;
    assert_eq!(value, [(1, Some(1)), (2, Some(2 + 4 + 3))].map(|(id, paid)| Order { id, paid }));
    assert_eq!(booked, "zipped1 zipped2 picked2");
}

#[tokio::test]
async fn what_cannot_fail_may_be_all_that_a_step_drops() {
    #[durable_workflow]
    async fn drops(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "dropped", in_doubt = "bank")]
        drop(bank.note("dropped").await.to_string());
        #[side_effect(key = "alone", in_doubt = "bank")]
        {
            let _ = bank.note("alone").await;
        };
        #[side_effect(key = "given", in_doubt = "bank")]
        let given = {
            let _given = bank.book("given").await;
            _given
        }?;
        let _later = async {
            #[side_effect(key = "later", in_doubt = "bank")]
            let later = bank.book("later").await?;
            Ok::<u32, Failure>(later)
        };
        let later = _later.await?;
        bank.last()?;
        Ok(given + later)
    }
    let (value, booked) = twice(async |session, bank| drops(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (3 + 4, "dropped alone given later"));
}
