//! Loops and branches.

use std::collections::BTreeMap;

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

/// `parts` is not `mut`: it may be changed because the pattern lends it so.
#[tokio::test]
async fn what_a_borrowed_list_holds_less_each_time_tells_rounds_apart() {
    #[durable_workflow]
    async fn trimmed(session: &Session, #[resource] bank: &Bank, parts: Vec<String>) -> Done {
        let mut shelves = BTreeMap::from([("a", parts)]);
        for (shelf, parts) in &mut shelves {
            while parts.len() > 1 {
                let part = parts.remove(0);
                let left = parts.len();
                #[side_effect(key = "trim/{shelf}/{left}", in_doubt = "bank")]
                bank.book(part).await?;
            }
        }
        bank.last()
    }
    let (_, booked) =
        twice(async |session, bank| trimmed(&session, bank, ["x", "y", "z"].map(String::from).to_vec()).await).await;
    assert_eq!(booked, "x y");
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
