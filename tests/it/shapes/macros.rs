//! Steps in the input of other macros.

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, Failure, twice};

macro_rules! both {
    ($first:block then $second:expr) => {{
        let first = $first;
        first + $second
    }};
}

#[tokio::test]
async fn steps_may_stand_in_macros_of_any_grammar() {
    #[durable_workflow]
    async fn in_macros(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let sum = both!({
            #[side_effect(key = "block", in_doubt = "bank")]
            let booked = bank.book("block").await?;
            booked
        } then #[side_effect(key = "expression", in_doubt = "bank")] bank.book("expression").await?);
        let text = format!(
            "{}",
            #[side_effect(key = "format", in_doubt = "bank")]
            bank.book("format").await?
        );
        let chosen = tokio::select! {
            biased;
            booked = async {
                #[side_effect(key = "branch", in_doubt = "bank")]
                let booked = bank.book("branch").await?;
                Ok::<_, Failure>(booked)
            } => {
                let _ = booked?;
                #[side_effect(key = "handler", in_doubt = "bank")]
                bank.book("handler").await?
            }
            _ = std::future::pending::<()>() => 0,
        };
        bank.last()?;
        Ok(sum + chosen + u32::try_from(text.len()).unwrap())
    }
    let (value, booked) = twice(async |session, bank| in_macros(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 5 + 1, "block expression format branch handler"));
}

macro_rules! either {
    ($cond:expr, $step:expr) => {
        if $cond { $step } else { $step }
    };
}

#[tokio::test]
async fn a_macro_may_put_a_step_in_more_places_than_one() {
    #[durable_workflow]
    async fn in_both(session: &Session, #[resource] bank: &Bank, is_late: bool) -> Done<u32> {
        let booked = either!(
            is_late,
            #[side_effect(key = "pay", in_doubt = "bank")]
            bank.book("pay").await?
        );
        #[cfg(any())]
        let booked = either!(
            is_late,
            #[side_effect(key = "never", in_doubt = "bank")]
            bank.book("never").await?
        );
        bank.last()?;
        Ok(booked)
    }
    let (value, booked) = twice(async |session, bank| in_both(&session, bank, true).await).await;
    assert_eq!((value, booked.as_str()), (1, "pay"));
}

macro_rules! timed {
    ($name:literal, $body:expr) => {{
        let value = $body;
        assert!(!$name.is_empty());
        value
    }};
}

macro_rules! once {
    ($($body:tt)*) => {
        loop {
            break {
                $($body)*
            };
        }
    };
}

#[tokio::test]
async fn steps_may_stand_in_macros_in_macros() {
    #[durable_workflow]
    async fn in_several(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let inner = timed!("outer", {
            timed!(
                "inner",
                #[side_effect(key = "inner", in_doubt = "bank")]
                bank.book("inner").await?
            )
        });
        let block = async {
            Done::Ok(timed!(
                "block",
                #[side_effect(key = "block", in_doubt = "bank")]
                bank.book("block").await?
            ))
        };
        let block = block.await?;
        let statements = once! {
            #[side_effect(key = "statements", in_doubt = "bank")]
            let booked = bank.book("statements").await?;
            booked
        };
        bank.last()?;
        Ok(inner + block + statements)
    }
    let (value, booked) = twice(async |session, bank| in_several(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 3, "inner block statements"));
}
