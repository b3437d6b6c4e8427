//! Every place inside an expression where a step may stand.

#![allow(
    clippy::diverging_sub_expression,
    clippy::never_loop,
    clippy::non_minimal_cfg,
    clippy::useless_vec,
    reason = "a place is tried for its own sake, not for what it does"
)]

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, Failure, twice};

#[tokio::test]
async fn a_step_may_be_a_part_of_a_value() {
    struct Pair {
        left: u32,
        right: u32,
    }

    #[durable_workflow]
    async fn parts(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let (a, b) = (
            #[side_effect(key = "tuple", in_doubt = "bank")]
            bank.book("tuple").await?,
            0,
        );
        let [c, d] = [
            0,
            #[side_effect(key = "array", in_doubt = "bank")]
            bank.book("array").await?,
        ];
        let e = &#[side_effect(key = "reference", in_doubt = "bank")]
        bank.book("reference").await?;
        let f = !#[side_effect(key = "not", in_doubt = "bank")]
        bank.book("not").await?;
        let g = [#[side_effect(key = "repeat", in_doubt = "bank")]
        bank.book("repeat").await?; 2];
        let pair = Pair {
            right: #[side_effect(key = "field", in_doubt = "bank")]
            bank.book("field").await?,
            left: 0,
        };
        let h = (#[side_effect(key = "parentheses", in_doubt = "bank")]
        bank.book("parentheses").await?)
            + 1;
        let i = (#[side_effect(key = "cast", in_doubt = "bank")]
        bank.book("cast").await?) as u64;
        let j = 1..#[side_effect(key = "range", in_doubt = "bank")]
        bank.book("range").await?;
        let k = [5, 7][#[side_effect(key = "index", in_doubt = "bank")]
        bank.book("index").await.map(|_| 1)?];
        bank.last()?;
        Ok(a + b + c + d + e + !f + g[1] + pair.left + pair.right + h + u32::try_from(i).unwrap() + j.end + k)
    }
    let (value, booked) = twice(async |session, bank| parts(&session, bank).await).await;
    assert_eq!(booked, "tuple array reference not repeat field parentheses cast range index");
    assert_eq!(value, 1 + 2 + 3 + 4 + 5 + 6 + (7 + 1) + 8 + 9 + 7);
}

#[tokio::test]
async fn a_step_may_decide() {
    #[durable_workflow]
    #[rustfmt::skip] // It would write the attribute behind `while` twice.
    async fn decides(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        if #[side_effect(key = "if", in_doubt = "bank")]
        bank.book("if").await.map(|at| at > 9)?
        {
            return Ok(0);
        }
        if let 2 = #[side_effect(key = "if-let", in_doubt = "bank")]
        bank.book("if-let").await?
        {
            let mut n = 0;
            while #[side_effect(key = "while/{n}", in_doubt = "bank")] bank.book("while").await.map(|at| at < 4)? {
                n += 1;
            }
        }
        for at in #[side_effect(key = "for", in_doubt = "bank")]
        bank.book("for").await.map(|at| at..at + 1)?
        {
            match #[side_effect(key = "match/{at}", in_doubt = "bank")]
            bank.book("match").await?
            {
                at if (#[side_effect(key = "guard/{at}", in_doubt = "bank")]
                bank.book("guard").await?)
                    < at => {}
                6 =>
                {
                    #[side_effect(key = "arm/{at}", in_doubt = "bank")]
                    bank.book("arm").await.map(drop)?
                }
                _ => {}
            }
        }
        let Some(last) = #[read(key = "else")]
        bank.find("arm").await
        else {
            return Ok(0);
        };
        bank.last()?;
        Ok(last)
    }
    let (value, booked) = twice(async |session, bank| decides(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (8, "if if-let while while for match guard arm"));
}

#[tokio::test]
async fn a_step_may_leave() {
    #[durable_workflow]
    async fn leaves(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let mut n = 0;
        let a = loop {
            n += 1;
            break #[side_effect(key = "break/{n}", in_doubt = "bank")]
            bank.book("break").await?;
        };
        let b = 'block: {
            break 'block #[side_effect(key = "label", in_doubt = "bank")]
            bank.book("label").await?;
        };
        bank.last()?;
        return Ok(
            #[side_effect(key = "return", in_doubt = "bank")]
            bank.book("return").await.map(|booked| a + b + booked)?,
        );
    }
    let (value, booked) = twice(async |session, bank| leaves(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 3, "break label return"));
}

#[tokio::test]
async fn a_step_may_be_a_block_or_a_chain() {
    #[durable_workflow]
    async fn blocks(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "chain", in_doubt = "bank")]
        let a = bank.book("chain").await?.saturating_add(10).to_string().len();
        #[side_effect(key = "block", in_doubt = "bank")]
        {
            let what = String::from("block");
            bank.note(&what).await;
        }
        #[side_effect(key = "async", in_doubt = "bank")]
        let b = async {
            let what = bank.booked().len().to_string();
            bank.book(what).await
        }
        .await?;
        #[side_effect(key = "macro", in_doubt = "bank")]
        assert_eq!(bank.note("macro").await, 4);
        bank.last()?;
        Ok(b + u32::try_from(a).unwrap())
    }
    let (value, booked) = twice(async |session, bank| blocks(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (3 + 2, "chain block 2 macro"));
}

#[tokio::test]
async fn an_attribute_on_an_assignment_means_its_right_side() {
    #[durable_workflow]
    async fn assigns(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let mut sums = [0, 0];
        #[side_effect(key = "set", in_doubt = "bank")]
        sums[0] = bank.book("set").await?;
        #[side_effect(key = "add", in_doubt = "bank")]
        sums[1] += bank.book("add").await?;
        let (a, b);
        #[side_effect(key = "destructure", in_doubt = "bank")]
        (a, b) = bank.book("destructure").await.map(|at| (at, at))?;
        bank.last()?;
        Ok(sums[0] + sums[1] + a + b)
    }
    let (value, booked) = twice(async |session, bank| assigns(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 3 + 3, "set add destructure"));
}

#[tokio::test]
async fn a_step_may_stand_in_whatever_awaits() {
    #[durable_workflow]
    async fn awaits(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let closure = async |n: u32| {
            Ok::<_, Failure>(
                #[side_effect(key = "closure/{n}", in_doubt = "bank")]
                bank.book("closure").await?,
            )
        };
        let returned = |n: u32| async move {
            #[side_effect(key = "returned/{n}", in_doubt = "bank")]
            let booked = bank.book("returned").await?;
            Ok::<_, Failure>(booked)
        };
        let a = closure(1).await?;
        let b = returned(1).await?;
        let (c, d) = tokio::join!(
            async {
                #[side_effect(key = "join", in_doubt = "bank")]
                let booked = bank.book("join").await?;
                Ok::<_, Failure>(booked)
            },
            std::future::ready(0),
        );
        let e = vec![
            #[side_effect(key = "vec", in_doubt = "bank")]
            bank.book("vec").await?,
        ];
        println!(
            "{}",
            #[side_effect(key = "print", in_doubt = "bank")]
            bank.book("print").await?
        );
        bank.last()?;
        Ok(a + b + c? + d + e[0])
    }
    let (value, booked) = twice(async |session, bank| awaits(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 3 + 4, "closure returned join vec print"));
}

#[tokio::test]
async fn a_statement_that_is_compiled_out_has_no_step() {
    #[durable_workflow]
    async fn conditional(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[cfg(any())]
        #[side_effect(key = "never", in_doubt = "bank")]
        bank.book("never").await?;
        #[cfg(all())]
        #[side_effect(key = "always", in_doubt = "bank")]
        let a = bank.book("always").await?;
        bank.last()?;
        Ok(a)
    }
    let (value, booked) = twice(async |session, bank| conditional(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "always"));
}
