//! What steps give, and how they fail.

use std::sync::atomic::{AtomicU32, Ordering};

use durable_runtime::prelude::*;
use serde::{Deserialize, Serialize};

use super::bank::{Bank, Done, Failure, twice};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Receipt {
    number: u32,
}

#[tokio::test]
async fn a_step_without_a_question_mark_gives_its_value() {
    #[durable_workflow]
    async fn plain(session: &Session, #[resource] bank: &Bank) -> Done<(u32, u64, Option<u32>)> {
        #[side_effect(key = "untyped", in_doubt = "bank")]
        let a = bank.note("untyped").await;
        #[side_effect(key = "typed", in_doubt = "bank")]
        let b: u64 = bank.note("typed").await.into();
        #[side_effect(key = "unit", in_doubt = "bank")]
        assert!(bank.note("unit").await > 0);
        #[read(key = "read")]
        let c = bank.find("unit").await;
        bank.last()?;
        Ok((a, b, c))
    }
    let (value, booked) = twice(async |session, bank| plain(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), ((1, 2, Some(3)), "untyped typed unit"));
}

#[tokio::test]
async fn what_has_no_error_may_be_dropped_and_replaced() {
    #[durable_workflow]
    async fn harmless(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "dropped" as dropped, in_doubt = "bank")]
        let a = {
            let _ = bank.note(&dropped.to_string().replace("harmless//", "")).await;
            2
        };
        #[side_effect(key = "mapped", in_doubt = "bank")]
        let b = bank.find("dropped").await.map_or(0, |found| found + 3);
        #[side_effect(key = "replaced", verify = bank.find("replaced").await.unwrap_or(0) > 0)]
        assert!(bank.note("replaced").await > 0);
        #[side_effect(key = "default", in_doubt = "bank")]
        let c = bank.find("nothing").await.unwrap_or_default();
        bank.last()?;
        Ok(a + b + c)
    }
    let (value, booked) = twice(async |session, bank| harmless(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (2 + 4, "dropped replaced"));
}

#[tokio::test]
async fn an_inner_question_mark_leaves_the_step() {
    #[durable_workflow]
    async fn inner(session: &Session, #[resource] bank: &Bank, number: &str) -> Done<u32> {
        #[side_effect(key = "inner", in_doubt = "bank")]
        let a = bank.book(format!("inner{}", number.parse::<u32>()?)).await?;
        #[side_effect(key = "value", in_doubt = "bank")]
        let b = bank.book("value").await?.wrapping_add(number.parse()?);
        #[side_effect(key = "block", in_doubt = "bank")]
        let c = {
            let first = number.parse::<u32>()?;
            bank.book("block").await.map(|booked| booked + first)
        }?;
        bank.last()?;
        Ok(a + b + c)
    }
    let (value, booked) = twice(async |session, bank| inner(&session, bank, "7").await).await;
    assert_eq!((value, booked.as_str()), (1 + 9 + 10, "inner7 value block"));
}

#[tokio::test]
async fn a_macro_that_returns_an_error_leaves_the_step_as_a_question_mark_does() {
    // Not a `?` in sight: as a `return` it would leave the workflow in the middle of its step, and nothing would be retried.
    #[durable_workflow]
    async fn ensured(session: &Session, #[resource] bank: &Bank, least: u32) -> anyhow::Result<u32> {
        let asked = AtomicU32::new(0);
        #[read(key = "enough", retry(attempts = 3, backoff = "1ms..1ms"))]
        let enough = {
            let times = asked.fetch_add(1, Ordering::Relaxed) + 1;
            anyhow::ensure!(times >= least, "only {times}");
            if times > 9 {
                anyhow::bail!("too often");
            }
            times
        };
        #[side_effect(key = "book", in_doubt = "bank")]
        bank.book("book").await?;
        #[read(key = "recorded", errors = "recorded")]
        let refused = async { anyhow::bail!("never: {}", least) as anyhow::Result<u32> }.await;
        bank.last()?;
        Ok(enough + u32::from(refused.is_err()))
    }
    let run = async |session: Session, bank: &Bank| {
        ensured(&session, bank, 2).await.map_err(|error| Failure(error.to_string()))
    };
    let (value, booked) = twice(run).await;
    assert_eq!((value, booked.as_str()), (3, "book"));
}

#[tokio::test]
async fn every_declaration_of_a_step_is_accepted() {
    #[durable_workflow(key = "{{literal}}", goal = "declare", invariants = ["a receipt is written once"])]
    async fn declared(session: &Session, #[resource] bank: &Bank, id: u32) -> Done<Receipt> {
        #[side_effect(
            key = "receipt/{id:03}" as key,
            title = "write {id:>4} for {bank.booked().len()}",
            verify = bank.find(key.as_str()).await.map(|number| Receipt { number }),
            in_doubt = "treasury",
            settle = "200ms",
        )]
        let receipt = bank.book(key.as_str()).await.map(|number| Receipt { number })?;
        #[side_effect(key = "token" as token, idempotent)]
        bank.book_once(if token.token().is_nil() { "nil" } else { "token" }).await?;
        #[side_effect(key = "twice", idempotent = "the bank ignores it")]
        bank.book_once("twice").await?;
        #[side_effect(key = "fallible-verify", verify = { let name = u32::to_string(&id.to_string().parse()?); bank.find(&name).await })]
        bank.book(id.to_string()).await?;
        bank.last()?;
        Ok(receipt)
    }
    let (value, booked) = twice(async |session, bank| declared(&session, bank, 5).await).await;
    assert_eq!(value, Receipt { number: 1 });
    assert!(booked.starts_with("{literal}//receipt/005 "), "{booked}");
    assert!(booked.ends_with(" token twice 5"), "{booked}");
}
