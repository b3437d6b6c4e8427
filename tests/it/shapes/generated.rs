//! Workflows that `macro_rules!` writes, from fragments of every kind.

use durable_runtime::prelude::*;

use super::bank::{Bank, Done, Failure, twice};

macro_rules! one {
    ($(#[$attr:meta])* $vis:vis $name:ident($hole:ident: $ty:ty) -> $out:ty, $key:literal, $pat:pat_param = $value:expr, $give:expr) => {
        $(#[$attr])*
        #[durable_workflow(key = $key)]
        $vis async fn $name(session: &Session, #[resource] bank: &Bank, $hole: $ty) -> Result<$out, Failure> {
            #[side_effect(key = $key, in_doubt = "bank")]
            let $pat = {
                let value = $value;
                bank.book(value.to_string()).await
            }?;
            bank.last()?;
            Ok($give)
        }
    };
}

/// A value of another name in the macro than in the call.
const fn five() -> u32 {
    5
}

one!(
    /// Documented in the call.
    #[allow(clippy::unused_async)]
    pub(super) fragments(id: u32) -> u32, "fragments/{id}", booked = five(), booked
);
one!(borrowed(name: &str) -> String, "borrowed/{name}", _booked = name.len() + 1, name.to_owned());
one!(several(names: &[&str]) -> usize, "several", _booked = names.join("+"), names.len());

#[tokio::test]
async fn fragments_are_code_like_any_other() {
    let (value, booked) = twice(async |session, bank| fragments(&session, bank, 1).await).await;
    assert_eq!((value, booked.as_str()), (1, "5"));
    let (value, booked) = twice(async |session, bank| borrowed(&session, bank, "ab").await).await;
    assert_eq!((value.as_str(), booked.as_str()), ("ab", "3"));
    let (value, booked) = twice(async |session, bank| several(&session, bank, &["a", "b"]).await).await;
    assert_eq!((value, booked.as_str()), (2, "a+b"));
}

macro_rules! many {
    ($($name:ident => $body:block)*) => {
        $(#[durable_workflow(goal = "from a block")]
        async fn $name(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
            #[side_effect(key = "book", in_doubt = "bank")]
            let booked = bank.book(stringify!($name)).await?;
            let extra: u32 = $body;
            bank.last()?;
            Ok(booked + extra)
        })*
    };
}

many! {
    first => { 10 }
    second => {
        let ten = 10;
        ten * 2
    }
}

#[tokio::test]
async fn a_macro_may_write_many() {
    let (value, booked) = twice(async |session, bank| first(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (11, "first"));
    let (value, booked) = twice(async |session, bank| second(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (21, "second"));
}

macro_rules! whole {
    ($item:item) => {
        #[durable_workflow]
        $item
    };
}

whole! {
    async fn item(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book("item").await?;
        bank.last()?;
        Ok(booked)
    }
}

macro_rules! tokens {
    ($name:ident, $bank:ident, $($body:tt)*) => {
        #[durable_workflow]
        async fn $name(session: &Session, #[resource] $bank: &Bank) -> Done<u32> {
            $($body)*
        }
    };
}

macro_rules! method {
    ($ty:ident, $name:ident, $self:ident => $who:expr) => {
        impl $ty<'_> {
            #[durable_workflow(session = $self.0)]
            async fn $name(&$self) -> Done<u32> {
                #[side_effect(key = "book", in_doubt = "bank")]
                let booked = $who.book(stringify!($ty)).await?;
                $who.last()?;
                Ok(booked)
            }
        }
    };
}

struct Pair<'a>(Session, &'a Bank);
method!(Pair, by_field, self => self.1);

#[tokio::test]
async fn items_and_methods_may_be_written_by_macros() {
    let (value, booked) = twice(async |session, bank| item(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "item"));
    let (value, booked) = twice(async |session, bank| Pair(session, bank).by_field().await).await;
    assert_eq!((value, booked.as_str()), (1, "Pair"));
    tokens!(in_a_function, bank,
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book("tokens").await?;
        bank.last()?;
        Ok(booked)
    );
    let (value, booked) = twice(async |session, bank| in_a_function(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "tokens"));
}
