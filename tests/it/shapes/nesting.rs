//! Closures, `async` blocks, and what runs at the same time.

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, Failure, twice};

#[tokio::test]
async fn steps_may_run_at_the_same_time() {
    #[durable_workflow]
    async fn joined(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let (left, right) = tokio::try_join!(
            async {
                #[side_effect(key = "left", verify = bank.find("left").await, settle = "0s")]
                let booked = bank.book("left").await?;
                Ok::<_, Failure>(booked)
            },
            async {
                #[side_effect(key = "right", verify = bank.find("right").await, settle = "0s")]
                let booked = bank.book("right").await?;
                Ok::<_, Failure>(booked)
            },
        )?;
        bank.last()?;
        Ok(left + right)
    }
    let (value, booked) = twice(async |session, bank| joined(&session, bank).await).await;
    let mut booked: Vec<_> = booked.split(' ').collect();
    booked.sort_unstable();
    assert_eq!((value, booked), (3, vec!["left", "right"]));
}

#[tokio::test]
async fn steps_may_stand_in_closures() {
    #[durable_workflow]
    async fn closures(session: &Session, #[resource] bank: &Bank) -> Done {
        let book = async |name: &str, n: u32| {
            #[side_effect(key = "closure/{name}/{n}", in_doubt = "bank")]
            let booked = bank.book(format!("{name}{n}")).await?;
            Ok::<_, Failure>(booked)
        };
        book("a", 1).await?;
        book("a", 2).await?;
        let later = (1..3_u32).map(|n| async move {
            #[side_effect(key = "mapped/{n}", in_doubt = "bank")]
            bank.book(format!("mapped{n}")).await?;
            Ok::<_, Failure>(())
        });
        for one in later {
            one.await?;
        }
        bank.last()
    }
    let (_, booked) = twice(async |session, bank| closures(&session, bank).await).await;
    assert_eq!(booked, "a1 a2 mapped1 mapped2");
}

#[tokio::test]
async fn a_block_around_a_step_may_end_in_what_another_function_gives() {
    #[durable_workflow]
    async fn ends(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let checked = async {
            #[side_effect(key = "checked", in_doubt = "bank")]
            let booked = bank.book("checked").await?;
            #[read(key = "parsed")]
            let parsed: u32 = "3".parse::<u32>().map_err(Failure::from)?;
            bank.last().map(|()| booked + parsed)
        };
        let again = async |name: &str| {
            #[side_effect(key = "again/{name}", in_doubt = "bank")]
            let booked = bank.book(name).await?;
            if booked > 100 {
                return Done::Ok(0);
            }
            let given: Done<u32> = async { Done::Ok(booked) }.await;
            given
        };
        let first = again("a").await? + again("b").await?;
        Ok(first + checked.await?)
    }
    let (value, booked) = twice(async |session, bank| ends(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (9, "a b checked"));
}

#[tokio::test]
async fn a_workflow_may_hold_another() {
    #[durable_workflow(key = "outer")]
    async fn outer(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[durable_workflow(key = "inner/{n}")]
        async fn inner(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
            #[side_effect(key = "book", in_doubt = "bank")]
            let booked = bank.book(format!("inner{n}")).await?;
            Ok(booked)
        }
        let mut sum = 0;
        for n in 0..2 {
            sum += inner(session, bank, n).await?;
        }
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book("outer").await?;
        bank.last()?;
        Ok(sum + booked)
    }
    let (value, booked) = twice(async |session, bank| outer(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (6, "inner0 inner1 outer"));
}

/// A helper of the user's own, which awaits what it is given.
async fn for_all(names: &[&str], mut call: impl AsyncFnMut(&str, u32) -> Done<u32>) -> Done<u32> {
    let mut sum = 0;
    for (at, name) in (0..).zip(names) {
        sum += call(name, at).await?;
    }
    Ok(sum)
}

#[tokio::test]
async fn closures_and_streams_of_steps_may_be_handed_to_other_functions() {
    use futures_util::{StreamExt, TryStreamExt, stream};

    #[durable_workflow]
    async fn handed(session: &Session, #[resource] bank: &Bank, days: &[u32]) -> Done<u32> {
        let mut calls = 0;
        let borrowed = for_all(&["a", "b"], async |name, at| {
            calls += 1;
            #[side_effect(key = "borrowed/{name}/{at}", in_doubt = "bank")]
            let booked = bank.book(format!("{name}{at}")).await?;
            Ok(booked)
        })
        .await?;
        let named = async |name: &str, at: u32| {
            #[side_effect(key = "named/{name}/{at}", in_doubt = "bank")]
            let booked = bank.book(format!("{name}{at}")).await?;
            Ok(booked)
        };
        let named = for_all(&["c"], named).await?;
        let streamed: Vec<u32> = stream::iter(days)
            .map(|day| async move {
                #[side_effect(key = "day/{day}", in_doubt = "bank")]
                let booked = bank.book(format!("day{day}")).await?;
                Ok::<_, Failure>(booked)
            })
            .buffered(1)
            .try_collect()
            .await?;
        bank.last()?;
        Ok(borrowed + named + streamed.iter().sum::<u32>() + calls)
    }
    let (value, booked) = twice(async |session, bank| handed(&session, bank, &[1, 2]).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 3 + 4 + 5 + 2, "a0 b1 c0 day1 day2"));
}
