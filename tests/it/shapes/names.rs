//! Names that mean something else, and functions in places of their own.

#![deny(warnings, missing_docs)]

use durable_runtime::prelude::*;
use serde::{Deserialize, Serialize};

use super::bank::{Bank, Done, twice};

mod shadows {
    //! Every name that an expansion might use.

    use durable_runtime::prelude::*;

    use super::super::bank::{Bank, Done};

    #[allow(dead_code)]
    mod core {}
    #[allow(dead_code)]
    mod std {}
    #[allow(dead_code)]
    mod alloc {}
    #[allow(dead_code)]
    mod __private {}

    #[allow(unused_macros)]
    macro_rules! module_path {
        () => {
            compile_error!("not this one")
        };
    }
    #[allow(unused_macros)]
    macro_rules! format_args {
        ($($any:tt)*) => {
            compile_error!("not this one")
        };
    }

    #[durable_workflow(key = "shadows/{key}/{run:02}", goal = "{value} {session_id}")]
    #[allow(clippy::too_many_arguments)]
    pub(super) async fn shadows(
        session: &Session,
        #[resource] bank: &Bank,
        key: u32,
        run: u8,
        meta: &str,
        value: u32,
        error: &[&str],
        given: Option<&str>,
        owned: [u8; 2],
        session_id: u32,
        #[input(default = 3)] inputs: u32,
    ) -> Done<u32> {
        let (step, slot, go, result, future, permit, out) = (1, 2, 3, 4, 5, 6, 7);
        #[side_effect(
            key = "book/{slot:03}/{key:x}" as token,
            title = "{meta} {error.len()} {given.is_some()} {owned[0]}",
            verify = bank.find(&format!("{meta}{value}{}", token.as_str().len())).await
        )]
        let booked = bank.book(::std::format!("{meta}{value}{}", token.as_str().len())).await?;
        let session = booked + step + go + result + future + permit + out + inputs + u32::from(run);
        #[side_effect(key = "again/{session}", in_doubt = "bank")]
        bank.book("again").await?;
        bank.last()?;
        Ok(session)
    }
}

#[tokio::test]
async fn every_name_may_be_taken() {
    let (value, booked) =
        twice(async |session, bank| shadows::shadows(&session, bank, 15, 3, "m", 8, &["e"], None, [1, 2], 5, 3).await)
            .await;
    assert_eq!((value, booked.as_str()), (1 + 1 + 3 + 4 + 5 + 6 + 7 + 3 + 3, "m825 again"));
}

#[tokio::test]
async fn names_may_be_raw() {
    #[derive(Serialize, Deserialize)]
    struct Order {
        r#type: u32,
    }

    #[durable_workflow(key = "raw/{r#type}", goal = "{r#type}")]
    async fn r#match(session: &Session, #[resource] bank: &Bank, order: &Order, r#type: u32, r#fn: &str) -> Done<u32> {
        #[side_effect(key = "book/{r#fn}/{order.r#type}" as r#ref, verify = bank.find(r#ref.as_str()).await)]
        let r#in = bank.book(r#ref.as_str()).await?;
        bank.last()?;
        Ok(r#in + r#type)
    }
    let (value, booked) =
        twice(async |session, bank| r#match(&session, bank, &Order { r#type: 4 }, 1, "f").await).await;
    assert_eq!((value, booked.as_str()), (2, "raw/1//book/f/4"));
    assert_eq!(outline!(r#match).name, "match");
}

#[tokio::test]
async fn a_hole_may_say_a_raw_name_as_a_format_does() {
    #[derive(Serialize, Deserialize)]
    struct Order {
        r#type: u32,
    }

    #[durable_workflow(key = "raw/{type}", goal = "{type}")]
    async fn raw(session: &Session, #[resource] bank: &Bank, order: &Order, r#type: u32) -> Done<u32> {
        for r#in in 0..2 {
            #[side_effect(key = "book/{in}/{order.type}" as key, title = "{type}", verify = bank.find(key.as_str()).await)]
            bank.book(key.as_str()).await?;
        }
        bank.last()?;
        Ok(r#type)
    }
    let (value, booked) = twice(async |session, bank| raw(&session, bank, &Order { r#type: 4 }, 1).await).await;
    assert_eq!((value, booked.as_str()), (1, "raw/1//book/0/4 raw/1//book/1/4"));
}

pub(super) mod outer {
    //! A module in a module.

    pub(in super::super) mod inner {
        //! And one in that.

        use durable_runtime::Session as Home;
        use durable_runtime::prelude::*;

        use super::super::super::bank::{Bank, Done};

        #[durable_runtime::durable_workflow]
        pub(in super::super::super) async fn nested(
            session: &durable_runtime::Session,
            #[durable_runtime::resource] bank: &Bank,
        ) -> Done<u32> {
            #[durable_runtime::side_effect(key = "book", in_doubt = "bank")]
            let booked = bank.book("nested").await?;
            bank.last()?;
            Ok(booked)
        }

        /// Its session has another name.
        #[durable_workflow(session = home)]
        pub(in super::super::super) async fn renamed(#[resource] home: &Home, #[resource] bank: &Bank) -> Done<u32> {
            #[side_effect(key = "book", in_doubt = "bank")]
            let booked = bank.book("renamed").await?;
            bank.last()?;
            Ok(booked)
        }
    }
}

#[tokio::test]
async fn a_workflow_may_stand_in_any_module() {
    let (value, booked) = twice(async |session, bank| outer::inner::nested(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "nested"));
    let (value, booked) = twice(async |session, bank| outer::inner::renamed(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "renamed"));
}

#[tokio::test]
async fn a_workflow_may_stand_in_a_block_and_in_an_impl_inside_a_function() {
    struct Local<'a>(&'a Bank);

    impl Local<'_> {
        #[durable_workflow]
        async fn local(&self, session: &Session) -> Done<u32> {
            #[side_effect(key = "book", in_doubt = "bank")]
            let booked = self.0.book("local").await?;
            self.0.last()?;
            Ok(booked)
        }
    }

    let ran = {
        #[durable_workflow]
        async fn in_a_block(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
            use std::collections::BTreeSet;
            const NAMES: [&str; 2] = ["b", "a"];
            fn sorted() -> BTreeSet<&'static str> {
                BTreeSet::from(NAMES)
            }
            let mut sum = 0;
            for name in sorted() {
                #[side_effect(key = "book/{name}", in_doubt = "bank")]
                let booked = bank.book(name).await?;
                sum += booked;
            }
            bank.last()?;
            Ok(sum)
        }
        twice(async |session, bank| in_a_block(&session, bank).await).await
    };
    assert_eq!(ran, (3, "a b".to_owned()));
    let (value, booked) = twice(async |session, bank| Local(bank).local(&session).await).await;
    assert_eq!((value, booked.as_str()), (1, "local"));
}

#[tokio::test]
async fn a_session_whose_type_has_another_name_is_no_input() {
    use durable_runtime::Session as Home;

    #[durable_workflow(session = home)]
    async fn homely(home: &Home, #[resource] bank: &Bank, name: &str) -> Done<u32> {
        #[side_effect(key = "book/{name}", in_doubt = "bank")]
        let booked = bank.book(name).await?;
        bank.last()?;
        Ok(booked)
    }
    let (value, booked) = twice(async |session, bank| homely(&session, bank, "Ada").await).await;
    assert_eq!((value, booked.as_str()), (1, "Ada"));
}
