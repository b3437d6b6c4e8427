//! `#[cfg(..)]` in a body: what is switched off is not there.
#![allow(clippy::non_minimal_cfg, reason = "a condition that holds, and one that does not")]

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, twice};

/// Both configurations of one function: the condition, and its opposite.
macro_rules! configured {
    ($name:ident, $on:meta, $off:meta) => {
        #[durable_workflow]
        async fn $name(
            session: &Session,
            #[resource] bank: &Bank,
            #[cfg($on)] n: u32,
            #[cfg($off)] n: u32,
        ) -> Done<u32> {
            struct Parts {
                left: u32,
                #[cfg($on)]
                right: u32,
            }

            #[cfg($on)]
            #[side_effect(key = "on", in_doubt = "bank")]
            let booked = bank.book("on").await?;
            #[cfg($off)]
            #[side_effect(key = "off", in_doubt = "bank")]
            let booked = bank.book("off").await?;
            #[side_effect(key = "behind", in_doubt = "bank")]
            #[cfg($on)]
            bank.book("behind").await?;
            #[cfg($on)]
            for n in 0..2 {
                #[side_effect(key = "loop/{n}", in_doubt = "bank")]
                bank.book(format!("loop{n}")).await?;
            }
            let chosen = match n {
                #[cfg($on)]
                1 =>
                {
                    #[side_effect(key = "arm", in_doubt = "bank")]
                    bank.book("arm").await?
                }
                _ => 100,
            };
            let parts = Parts {
                left: chosen,
                #[cfg($on)]
                right: #[side_effect(key = "field", in_doubt = "bank")]
                bank.book("field").await?,
            };
            #[cfg($on)]
            let sum = parts.left + parts.right;
            #[cfg($off)]
            let sum = parts.left;
            bank.last()?;
            Ok(booked + sum)
        }
    };
}

configured!(switched_on, all(), any());
configured!(switched_off, any(), all());

#[tokio::test]
async fn g60_a_step_that_is_switched_off_is_no_step() {
    let (value, booked) = twice(async |session, bank| switched_on(&session, bank, 1).await).await;
    assert_eq!((value, booked.as_str()), (1 + 5 + 6, "on behind loop0 loop1 arm field"));
    let (value, booked) = twice(async |session, bank| switched_off(&session, bank, 1).await).await;
    assert_eq!((value, booked.as_str()), (101, "off"));
}

#[tokio::test]
async fn what_is_switched_off_may_have_the_key_of_what_is_not() {
    #[durable_workflow]
    async fn alternatives(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
        struct One {
            value: u32,
        }

        #[cfg(all())]
        {
            #[side_effect(key = "block", in_doubt = "bank")]
            bank.book("block").await?;
        }
        #[cfg(any())]
        {
            #[side_effect(key = "block", in_doubt = "bank")]
            bank.book("none").await?;
        }
        let chosen = match n {
            #[cfg(all())]
            1 =>
            {
                #[side_effect(key = "arm", in_doubt = "bank")]
                bank.book("arm").await?
            }
            #[cfg(any())]
            1 =>
            {
                #[side_effect(key = "arm", in_doubt = "bank")]
                bank.book("none").await?
            }
            _ => 0,
        };
        let one = One {
            #[cfg(all())]
            value: #[side_effect(key = "field", in_doubt = "bank")]
            bank.book("field").await?,
            #[cfg(any())]
            value: #[side_effect(key = "field", in_doubt = "bank")]
            bank.book("none").await?,
        };
        bank.last()?;
        Ok(chosen + one.value)
    }
    let (value, booked) = twice(async |session, bank| alternatives(&session, bank, 1).await).await;
    assert_eq!((value, booked.as_str()), (2 + 3, "block arm field"));
}
