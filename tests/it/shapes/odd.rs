//! Places where a step is easily lost, or refused for a wrong reason.

#![allow(unused_braces, clippy::needless_return, clippy::never_loop, reason = "the shapes are the point")]

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, Failure, twice};

macro_rules! pass {
    ($($tokens:tt)*) => { $($tokens)* };
}

macro_rules! object {
    ({ $($inner:tt)* }) => { object!($($inner)*) };
    ($key:literal : { $($inner:tt)* }) => { compile_error!("an object was read where a value stands") };
    ($key:literal : $value:expr) => { ($key, $value) };
}

macro_rules! in_block {
    ($value:expr) => {
        async { Ok::<_, Failure>($value) }.await
    };
}

macro_rules! bind {
    ($name:ident = $value:expr => $body:block) => {{
        let $name = $value;
        $body
    }};
}

#[tokio::test]
async fn the_input_of_a_macro_may_become_anything() {
    #[durable_workflow]
    async fn inputs(session: &Session, #[resource] bank: &Bank) -> Done<String> {
        pass! {
            #[side_effect(key = "let", in_doubt = "bank")]
            let a = bank.book("let").await?;
        }
        let (key, b) = object!({ "id": #[side_effect(key = "value", in_doubt = "bank")] bank.book("value").await? });
        let c: u32 = in_block!(
            #[side_effect(key = "inside", in_doubt = "bank")]
            bank.book("inside").await?
        )?;
        let d = tokio::select! {
            text = async {
                #[side_effect(key = "branch", in_doubt = "bank")]
                let booked = bank.book("branch").await?;
                Ok::<_, Failure>(booked.to_string())
            } => text?,
        };
        bank.last()?;
        Ok(format!("{a} {key} {b} {c} {d}"))
    }
    let (value, booked) = twice(async |session, bank| inputs(&session, bank).await).await;
    assert_eq!((value.as_str(), booked.as_str()), ("1 id 2 3 4", "let value inside branch"));
}

#[tokio::test]
async fn what_a_macro_binds_in_a_loop_differs_each_time() {
    #[durable_workflow]
    async fn loops(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        for i in 0..2 {
            bind!(twice = i * 2 => {
                #[side_effect(key = "bound/{twice}", in_doubt = "bank")]
                bank.book(format!("bound{twice}")).await?;
            });
        }
        let mut jobs = (0..2).collect::<std::collections::VecDeque<u32>>();
        loop {
            tokio::select! {
                Some(job) = std::future::ready(jobs.pop_front()) => {
                    #[side_effect(key = "job/{job}", in_doubt = "bank")]
                    bank.book(format!("job{job}")).await?;
                }
                else => break,
            }
        }
        let mut pair = (1, 2);
        for _ in 0..2 {
            (pair.0, pair.1) = (pair.1, pair.0);
            #[side_effect(key = "pair/{pair.0}", in_doubt = "bank")]
            bank.book(format!("pair{}", pair.0)).await?;
        }
        bank.last()?;
        Ok(pair.0)
    }
    let (value, booked) = twice(async |session, bank| loops(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "bound0 bound2 job0 job1 pair2 pair1"));
}

#[tokio::test]
async fn what_leaves_a_loop_is_done_once() {
    #[durable_workflow]
    async fn leaves(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let first = loop {
            break #[side_effect(key = "break", in_doubt = "bank")]
            bank.book("break").await?;
        };
        bank.last()?;
        for n in 0..3 {
            if n == 1 {
                return Ok(first
                    + (#[side_effect(key = "return", in_doubt = "bank")]
                    bank.book("return").await?));
            }
        }
        Ok(0)
    }
    let (value, booked) = twice(async |session, bank| leaves(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2, "break return"));
}

#[tokio::test]
async fn what_leaves_a_loop_by_its_name_is_done_once() {
    #[durable_workflow]
    async fn leaves(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let first = 'outer: loop {
            for n in 0..3 {
                if n == 1 {
                    break 'outer #[side_effect(key = "loop", in_doubt = "bank")]
                    bank.book("loop").await?;
                }
            }
        };
        let second = 'block: {
            for n in 0..3 {
                if n == 1 {
                    break 'block #[side_effect(key = "block", in_doubt = "bank")]
                    bank.book("block").await?;
                }
            }
            0
        };
        let mut sum = first + second;
        for n in 0..2 {
            sum += async {
                return Ok::<_, Failure>(
                    #[side_effect(key = "each/{n}", in_doubt = "bank")]
                    bank.book(format!("each{n}")).await?,
                );
            }
            .await?;
        }
        bank.last()?;
        Ok(sum)
    }
    let (value, booked) = twice(async |session, bank| leaves(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 3 + 4, "loop block each0 each1"));
}

macro_rules! pair {
    ($name:ident) => {
        ($name, _)
    };
}

macro_rules! declare {
    ($name:ident = $value:expr) => {
        let mut $name = $value;
    };
}

#[tokio::test]
async fn a_step_may_name_the_arguments_of_a_macro_and_change_what_is_its_own() {
    #[durable_workflow]
    async fn names(session: &Session, #[resource] bank: &Bank) -> Done<String> {
        let mut count = 1;
        count += 1;
        for pair!(id) in [(1, 'a'), (2, 'b')] {
            #[side_effect(key = "named/{id}", in_doubt = "bank")]
            bank.book(format!("{what}{count}", what = "named", count = id + count)).await?;
        }
        let list = vec![3, 1, 2];
        #[side_effect(key = "own", in_doubt = "bank")]
        let own = {
            declare!(total = 0);
            total += 1;
            let mut list = list.clone();
            list.sort_unstable();
            let (mut a, b);
            (a, b) = (total, list[0]);
            a += list.iter().copied().fold(0, |mut sum: u32, n| {
                sum += n;
                sum
            });
            bank.book(format!("own{a}{b}")).await
        }?;
        let mut scratch = String::new();
        #[side_effect(key = "read", in_doubt = "bank")]
        let read = bank.book(format!("{}{scratch}", scratch.replace('a', "b").len())).await?;
        scratch.push('!');
        bank.last()?;
        Ok(format!("{own}{read}{scratch}"))
    }
    let (value, booked) = twice(async |session, bank| names(&session, bank).await).await;
    assert_eq!((value.as_str(), booked.as_str()), ("34!", "named3 named4 own71 0"));
}

#[tokio::test]
async fn one_line_patterns_and_alternatives() {
    #[durable_workflow(key = "line/{n}")]
    async fn line(session: &Session, n: u32) -> Done<u32> {
        Ok(n)
    }

    #[durable_workflow(key = "pattern/{a}")]
    async fn pattern(session: &Session, #[resource] bank: &Bank, (mut a, b): (u32, u32)) -> Done<u32> {
        a += b;
        #[cfg(unix)]
        #[side_effect(key = "either", in_doubt = "bank")]
        let booked = bank.book("either").await?;
        #[cfg(not(unix))]
        #[side_effect(key = "either", in_doubt = "bank")]
        let booked = bank.book("either").await?;
        bank.last()?;
        Ok(a + booked + line(session, 1).await?)
    }
    let (value, booked) = twice(async |session, bank| pattern(&session, bank, (1, 2)).await).await;
    assert_eq!((value, booked.as_str()), (3 + 1 + 1, "either"));
}

macro_rules! drop_attributes {
    ($(# [ $($attribute:tt)* ])? $value:expr) => {
        $value
    };
}

macro_rules! written {
    ($name:ident, $step:meta) => {
        #[durable_workflow]
        async fn $name(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
            let booked = drop_attributes!(
                #[$step]
                bank.book("written").await?
            );
            bank.last()?;
            Ok(booked)
        }
    };
}

written!(by_a_macro, side_effect(key = "written", in_doubt = "bank"));

#[tokio::test]
async fn a_step_that_came_as_a_fragment_is_not_dropped() {
    let (value, booked) = twice(async |session, bank| by_a_macro(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "written"));
}

#[tokio::test]
async fn a_step_before_its_value_has_the_type_of_its_let() {
    #[durable_workflow]
    async fn typed(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let number: u32 = #[read(key = "number")]
        "3".parse().unwrap();
        #[r#side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book("book").await?;
        #[side_effect(key = "block", in_doubt = "bank")]
        {
            bank.book("block").await?;
        }
        bank.last()?;
        Ok(booked + number)
    }
    let (value, booked) = twice(async |session, bank| typed(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (4, "book block"));
}
