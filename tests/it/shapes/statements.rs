//! Statements, and places inside them.

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, twice};

#[tokio::test]
async fn statements_can_be_steps() {
    #[durable_workflow]
    async fn statements(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "let", in_doubt = "bank")]
        let a = bank.book("let").await?;
        #[side_effect(key = "typed", in_doubt = "bank")]
        let b: u32 = bank.book("typed").await?;
        #[side_effect(key = "else", in_doubt = "bank")]
        let 1..=9 = bank.book("else").await? else { return Ok(0) };
        #[side_effect(key = "statement", in_doubt = "bank")]
        bank.book("statement").await?;
        let mut d;
        #[side_effect(key = "assign", in_doubt = "bank")]
        d = bank.book("assign").await?;
        #[side_effect(key = "add", in_doubt = "bank")]
        d += bank.book("add").await?;
        #[side_effect(key = "block", in_doubt = "bank")]
        {
            let what = String::from("block");
            bank.book(what).await
        }?;
        bank.last()?;
        Ok(a + b + d)
    }
    let (value, booked) = twice(async |session, bank| statements(&session, bank).await).await;
    assert_eq!(value, 1 + 2 + 5 + 6);
    assert_eq!(booked, "let typed else statement assign add block");
}

#[tokio::test]
async fn expressions_can_be_steps() {
    struct Pair {
        left: u32,
        right: u32,
    }

    #[durable_workflow]
    async fn expressions(session: &Session, #[resource] bank: &Bank, kind: u8) -> Done<u32> {
        let a = #[side_effect(key = "initialiser", in_doubt = "bank")]
        bank.book("initialiser").await?;
        let b = u32::max(
            1,
            #[side_effect(key = "argument", in_doubt = "bank")]
            bank.book("argument").await?,
        );
        let pair = Pair {
            left: #[side_effect(key = "field", in_doubt = "bank")]
            bank.book("field").await?,
            right: 1,
        };
        let c = match kind {
            0 => 0,
            _ =>
            {
                #[side_effect(key = "arm", in_doubt = "bank")]
                bank.book("arm").await?
            }
        };
        if (#[side_effect(key = "condition", in_doubt = "bank")]
        bank.book("condition").await?)
            > 9
        {
            return Ok(0);
        }
        assert!(
            (#[side_effect(key = "in-a-macro", in_doubt = "bank")]
            bank.book("in-a-macro").await?)
                > 5
        );
        bank.last()?;
        Ok(a + b + pair.left + pair.right + c)
    }
    let (value, booked) = twice(async |session, bank| expressions(&session, bank, 1).await).await;
    assert_eq!(value, 1 + 2 + 3 + 1 + 4);
    assert_eq!(booked, "initialiser argument field arm condition in-a-macro");
}

#[tokio::test]
async fn the_tail_of_a_block_can_begin_with_a_step() {
    #[durable_workflow]
    async fn tail(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let value = {
            (#[side_effect(key = "tail", in_doubt = "bank")]
            bank.book("tail").await?)
                + 1
        };
        bank.last()?;
        return Ok((#[side_effect(key = "returned", in_doubt = "bank")]
        bank.book("returned").await?)
            + value);
    }
    let (value, booked) = twice(async |session, bank| tail(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (4, "tail returned"));
}

/// What gets the session and is no future may be looked at, matched and dropped as anywhere.
#[tokio::test]
async fn values_that_are_no_futures_may_be_dropped() {
    fn find(session: &Session, n: u32) -> Option<u64> {
        (session.iteration() > 0).then_some(u64::from(n))
    }

    fn any<T: Default>(_: &Session) -> T {
        T::default()
    }

    #[durable_workflow]
    async fn looks(session: &Session, #[resource] bank: &Bank) -> Done<usize> {
        let mut seen = usize::from(find(session, 1).is_some());
        seen += [1, 2].iter().filter_map(|n| find(session, *n)).count();
        if let Some(_first) = find(session, 1) {
            seen += 1;
        }
        let Some(_) = find(session, 2) else { return Ok(0) };
        let _later;
        _later = find(session, 4);
        let mut never_read = Vec::<u64>::new();
        for _ in 0..seen {
            never_read.push(any(session));
        }
        let futures = [1, 2].map(|n| one(session, bank, n));
        let many = futures.len();
        for future in futures {
            seen += usize::try_from(future.await?).unwrap_or(0);
        }
        bank.last()?;
        Ok(seen + many)
    }

    #[durable_workflow(key = "one/{n}")]
    async fn one(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
        #[side_effect(key = "one", in_doubt = "bank")]
        bank.book(&format!("one {n}")).await?;
        Ok(n)
    }
    let (value, booked) = twice(async |session, bank| looks(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 1 + 3 + 2, "one 1 one 2"));
}
