//! Workflows that move between threads, and those that do not.

use std::rc::Rc;

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, twice};

#[tokio::test]
async fn a_local_workflow_may_hold_what_stays_on_its_thread() {
    #[durable_workflow(local)]
    async fn local(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let name = Rc::new("local");
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book(*name).await?;
        bank.last()?;
        Ok(booked + u32::try_from(name.len()).unwrap())
    }
    let (value, booked) = twice(async |session, bank| local(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (6, "local"));
}

#[tokio::test]
async fn a_workflow_may_call_itself() {
    #[durable_workflow(key = "down/{n}")]
    async fn down(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book(format!("down{n}")).await?;
        let below = if n == 0 { 0 } else { Box::pin(down(session, bank, n - 1)).await? };
        bank.last()?;
        Ok(booked + below)
    }
    let (value, booked) = twice(async |session, bank| down(&session, bank, 2).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 3, "down2 down1 down0"));
}

#[tokio::test]
async fn workflows_may_call_each_other() {
    #[durable_workflow(key = "ping/{n}")]
    async fn ping(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book(format!("ping{n}")).await?;
        let below = pong(session, bank, n).await?;
        bank.last()?;
        Ok(booked + below)
    }
    #[durable_workflow(key = "pong/{n}")]
    async fn pong(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
        if n == 0 {
            return Ok(0);
        }
        Box::pin(ping(session, bank, n - 1)).await
    }
    let (value, booked) = twice(async |session, bank| ping(&session, bank, 1).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2, "ping1 ping0"));
}
