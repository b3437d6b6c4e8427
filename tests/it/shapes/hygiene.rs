//! The expansion uses none of the names around it, and hides none.

#![deny(warnings, missing_docs, unused_qualifications, clippy::pedantic)]

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, twice};

mod shadowed {
    //! A module in which the prelude's names mean something else.

    use durable_runtime::prelude::*;

    use super::super::bank::{Bank, Failure};

    /// Not the prelude's.
    #[allow(dead_code)]
    pub(super) struct Result;
    /// Not the prelude's.
    #[allow(dead_code)]
    pub(super) struct Option;
    #[allow(non_snake_case, dead_code, missing_docs)]
    pub(super) fn Ok() {}
    #[allow(non_snake_case, dead_code, missing_docs)]
    pub(super) fn Some() {}
    #[allow(non_snake_case, dead_code, missing_docs)]
    pub(super) fn None() {}
    #[allow(non_camel_case_types, dead_code)]
    struct str;

    /// Documented.
    #[durable_workflow(key = "shadowed/{n}", goal = "shadow {n}")]
    pub(super) async fn shadowed(
        session: &Session,
        #[resource] bank: &Bank,
        n: u32,
    ) -> std::result::Result<u32, Failure> {
        let run = 1;
        let slot = 2;
        let (out, error, key) = (3, 4, 5);
        #[side_effect(key = "book" as key_of_step, title = "book {run}", in_doubt = "bank")]
        let value = bank.book(format!("{run}{slot}{out}{error}{key}{key_of_step}")).await?;
        bank.last()?;
        std::result::Result::Ok(value)
    }
}

#[tokio::test]
async fn names_of_the_prelude_may_mean_something_else() {
    let (value, booked) = twice(async |session, bank| shadowed::shadowed(&session, bank, 1).await).await;
    assert_eq!((value, booked.as_str()), (1, "12345shadowed/1//book"));
}

#[tokio::test]
async fn a_shadowed_session_changes_nothing() {
    /// Nothing in it uses `session` or `month` by name.
    #[durable_workflow(key = "{month}")]
    async fn unused(session: &Session, #[resource] bank: &Bank, month: u32) -> Done {
        let session = "shadowed";
        #[side_effect(key = "book", in_doubt = "bank")]
        bank.book(session).await?;
        bank.last()
    }
    let ((), booked) = twice(async |session, bank| unused(&session, bank, 1).await).await;
    assert_eq!(booked, "shadowed");
}

#[tokio::test]
async fn what_stands_around_a_step_alone_is_not_called_needless() {
    // What is, `cargo fix` takes out, and all that stands in it before the expression: the attribute, and with it the step.
    #[durable_workflow]
    async fn around(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let a = (#[side_effect(key = "value", in_doubt = "bank")]
        bank.book("value").await?);
        let b = {
            #[side_effect(key = "block", in_doubt = "bank")]
            bank.book("block").await?
        };
        let mut list = vec![a, b];
        list.push(
            (#[side_effect(key = "argument", in_doubt = "bank")]
            bank.book("argument").await?),
        );
        #[rustfmt::skip] // It would write two lines, and braces in two lines are never called needless.
        list.push({ #[side_effect(key = "braces", in_doubt = "bank")] bank.book("braces").await? });
        list[0] += (#[side_effect(key = "assigned", in_doubt = "bank")]
        bank.book("assigned").await?);
        if (#[side_effect(key = "condition", in_doubt = "bank")]
        bank.book("condition").await.map(|booked| booked > 6)?)
        {
            list.clear();
        }
        match (#[read(key = "scrutinee")]
        bank.find("block").await)
        {
            Some(found) if found < 9 => list.push(found),
            _ => list.clear(),
        }
        bank.last()?;
        Ok(list.iter().sum())
    }
    let (value, booked) = Box::pin(twice(async |session, bank| Box::pin(around(&session, bank)).await)).await;
    assert_eq!((value, booked.as_str()), (1 + 5 + 2 + 3 + 4 + 2, "value block argument braces assigned condition"));
}

/// A type that is read back, and has a workflow: what is `unsafe` in a method of it would be warned of.
#[derive(serde::Serialize, serde::Deserialize)]
struct Plan {
    name: String,
}

impl Plan {
    #[durable_workflow]
    async fn carry_out(&self, session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let both = async {
            #[side_effect(key = "book", in_doubt = "bank")]
            let booked = bank.book(self.name.as_str()).await?;
            Done::Ok(booked)
        };
        let booked = both.await?;
        bank.last()?;
        Ok(booked)
    }
}

#[tokio::test]
async fn a_type_that_is_read_back_may_have_workflows() {
    let plan = Plan { name: "plan".to_owned() };
    let (value, booked) = twice(async |session, bank| plan.carry_out(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "plan"));
}
