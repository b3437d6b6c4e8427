//! Loops and branches.

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, twice};

#[tokio::test]
async fn steps_in_loops_are_told_apart_by_their_keys() {
    #[durable_workflow(key = "loops/{days}")]
    async fn loops(session: &Session, #[resource] bank: &Bank, days: u32, names: &[String]) -> Done {
        for name in names {
            for day in 0..days {
                #[side_effect(key = "for/{name}/{day:02}", in_doubt = "bank")]
                bank.book(format!("{name}{day}")).await?;
            }
        }
        let mut n = 0;
        while n < 2 {
            n += 1;
            #[side_effect(key = "while/{n}", in_doubt = "bank")]
            bank.book(format!("while{n}")).await?;
        }
        let mut queue = vec!["y", "x"];
        while let Some(job) = queue.pop() {
            #[side_effect(key = "job/{job}", in_doubt = "bank")]
            bank.book(job).await?;
        }
        'outer: loop {
            n += 1;
            #[side_effect(key = "loop/{n}", in_doubt = "bank")]
            let count = bank.book(format!("loop{n}")).await?;
            if count > 8 {
                break 'outer;
            }
        }
        bank.last()
    }
    let names = ["a".to_owned(), "b".to_owned()];
    let (_, booked) = twice(async |session, bank| loops(&session, bank, 2, &names).await).await;
    assert_eq!(booked, "a0 a1 b0 b1 while1 while2 x y loop3");
}

#[tokio::test]
async fn each_branch_has_steps_of_its_own() {
    #[durable_workflow]
    async fn branches(session: &Session, #[resource] bank: &Bank, amount: Option<u32>) -> Done<u32> {
        let Some(amount) = amount else {
            #[side_effect(key = "nothing", in_doubt = "bank")]
            bank.book("nothing").await?;
            return Ok(0);
        };
        let booked = if amount > 10 {
            #[side_effect(key = "much", in_doubt = "bank")]
            bank.book("much").await?
        } else {
            match amount {
                0 => 0,
                1..5 =>
                {
                    #[side_effect(key = "little", in_doubt = "bank")]
                    bank.book("little").await?
                }
                _ =>
                {
                    #[side_effect(key = "some", in_doubt = "bank")]
                    bank.book("some").await?
                }
            }
        };
        bank.last()?;
        Ok(booked)
    }
    for (amount, want) in [(20, "much"), (2, "little"), (7, "some")] {
        let (value, booked) = twice(async |session, bank| branches(&session, bank, Some(amount)).await).await;
        assert_eq!((value, booked.as_str()), (1, want));
    }
}
