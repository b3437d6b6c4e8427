//! Generics, lifetimes, results, and what may stand around a function.
#![allow(clippy::too_many_arguments, clippy::mixed_attributes_style, reason = "each shape that there is")]

use std::collections::BTreeMap;
use std::fmt::Debug;

use durable_runtime::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::bank::{Bank, Done, Failure, twice};

#[tokio::test]
async fn types_lifetimes_and_lengths_may_be_parameters() {
    #[durable_workflow]
    async fn lifetimes<'a, 'b: 'a>(
        session: &'b Session,
        #[resource] bank: &'a Bank,
        one: &'a str,
        other: &'b [&'a str],
    ) -> Done<String>
    where
        'a: 'a,
    {
        let longest: &str = if one.len() > other[0].len() { one } else { other[0] };
        #[side_effect(key = "book/{longest}", in_doubt = "bank")]
        bank.book(longest).await?;
        bank.last()?;
        Ok(longest.to_owned())
    }
    let (value, booked) = twice(async |session, bank| lifetimes(&session, bank, "a", &["bb"]).await).await;
    assert_eq!((value.as_str(), booked.as_str()), ("bb", "bb"));

    #[durable_workflow]
    async fn lengths<T, const N: usize, const FLAG: bool>(
        session: &Session,
        #[resource] bank: &Bank,
        list: [T; N],
    ) -> Done<Vec<T>>
    where
        T: KeyPart + ToString + Clone + Serialize + DeserializeOwned,
        [T; N]: Sized,
    {
        for one in &list {
            #[side_effect(key = "book/{one}", in_doubt = "bank")]
            bank.book(one.to_string()).await?;
        }
        bank.last()?;
        Ok(if FLAG { list.to_vec() } else { Vec::new() })
    }
    let (value, booked) = twice(async |session, bank| lengths::<_, 3, true>(&session, bank, [3, 1, 2]).await).await;
    assert_eq!((value, booked.as_str()), (vec![3, 1, 2], "3 1 2"));

    #[durable_workflow]
    async fn bounds<F, E>(session: &Session, #[resource] bank: &Bank, #[resource] book: F) -> Result<u32, E>
    where
        F: AsyncFn(&Bank) -> Result<u32, E>,
        E: From<durable_runtime::Error> + From<Failure> + std::fmt::Display,
    {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = book(bank).await?;
        bank.last()?;
        Ok(booked)
    }
    let (value, booked) = twice(async |session, bank| {
        bounds::<_, Failure>(&session, bank, async |bank: &Bank| bank.book("closure").await).await
    })
    .await;
    assert_eq!((value, booked.as_str()), (1, "closure"));
}

trait Ledger {
    type Entry: KeyPart + Debug + PartialEq + Serialize + DeserializeOwned;

    fn entry(&self, number: u32) -> Self::Entry;
}

impl Ledger for u8 {
    type Entry = String;

    fn entry(&self, number: u32) -> String {
        format!("{self}-{number}")
    }
}

#[tokio::test]
async fn results_may_be_of_any_type_that_can_be_recorded() {
    type Outcome<T = ()> = Result<T, Failure>;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Way<T> {
        Short(T),
        Long { steps: Vec<T> },
    }

    #[durable_workflow]
    async fn associated<L: Ledger>(
        session: &Session,
        #[resource] bank: &Bank,
        #[resource] ledger: L,
    ) -> Done<L::Entry> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let entry = bank.book("entry").await.map(|number| ledger.entry(number))?;
        bank.last()?;
        Ok(entry)
    }
    let (value, _) = twice(async |session, bank| associated(&session, bank, 9_u8).await).await;
    assert_eq!(value, "9-1");

    #[durable_workflow]
    async fn unit(session: &Session, #[resource] bank: &Bank) -> Outcome {
        #[side_effect(key = "book", in_doubt = "bank")]
        bank.book("unit").await.map(drop)?;
        bank.last()
    }
    let (value, booked) = twice(async |session, bank| unit(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), ((), "unit"));

    #[durable_workflow]
    async fn enumerated(session: &Session, #[resource] bank: &Bank) -> std::result::Result<[Way<u32>; 2], Failure> {
        #[side_effect(key = "short", in_doubt = "bank")]
        let short = Way::Short(bank.book("short").await?);
        #[side_effect(key = "long", in_doubt = "bank")]
        let long: Way<u32> = bank.book("long").await.map(|n| Way::Long { steps: vec![n, n] })?;
        bank.last()?;
        Ok([short, long])
    }
    let (value, _) = twice(async |session, bank| enumerated(&session, bank).await).await;
    assert_eq!(value, [Way::Short(1), Way::Long { steps: vec![2, 2] }]);

    #[durable_workflow]
    async fn keyed(session: &Session, #[resource] bank: &Bank) -> Outcome<BTreeMap<String, Option<Box<u32>>>> {
        let mut map = BTreeMap::new();
        for name in ["a", "b"] {
            #[side_effect(key = "book/{name}", in_doubt = "bank")]
            let booked: Option<Box<u32>> = bank.book(name).await.map(Box::new).map(Some)?;
            map.insert(name.to_owned(), booked);
        }
        bank.last()?;
        Ok(map)
    }
    let (value, _) = twice(async |session, bank| keyed(&session, bank).await).await;
    assert_eq!(value, BTreeMap::from([("a".to_owned(), Some(Box::new(1))), ("b".to_owned(), Some(Box::new(2)))]));

    #[durable_workflow]
    async fn with_anyhow(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<(u32, char)> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book("anyhow").await?;
        bank.last()?;
        Ok((booked, 'c'))
    }
    let work =
        async |session, bank: &Bank| with_anyhow(&session, bank).await.map_err(|error| Failure(error.to_string()));
    assert_eq!(twice(work).await, ((1, 'c'), "anyhow".to_owned()));
}

/// Outside and inside, for whoever reads.
///
/// # Errors
///
/// Fails if the bank does.
#[must_use = "it may have failed"]
#[inline]
#[allow(clippy::unused_async)]
#[durable_workflow(key = "decorated")]
pub(in crate::shapes) async fn decorated(
    #[allow(unused_mut)] mut session: Session,
    #[resource] bank: &Bank,
) -> Done<u32> {
    #![allow(clippy::let_and_return)]
    #[allow(unused_variables, unused_assignments, reason = "an attribute beside the step's")]
    #[side_effect(key = "book", in_doubt = "bank")]
    let unused = bank.book("decorated").await?;
    #[allow(clippy::needless_late_init)]
    let late;
    /* a comment */
    #[side_effect(key = "late", in_doubt = "bank")]
    late = bank.book("late").await?;
    bank.last()?;
    Ok(late)
}

#[tokio::test]
async fn attributes_comments_and_visibility_stay() {
    let (value, booked) = twice(async |session, bank| decorated(session, bank).await).await;
    assert_eq!((value, booked.as_str()), (2, "decorated late"));
}

#[tokio::test]
async fn patterns_may_be_of_every_kind() {
    struct Point {
        x: u32,
        y: u32,
    }

    #[derive(Debug, Serialize, Deserialize)]
    struct Wrapped(u32);

    #[durable_workflow(key = "patterns/{first}/{inner}")]
    async fn patterns(
        session: &Session,
        #[resource] Point { x, y: up }: Point,
        #[resource] &bank: &&Bank,
        (first, .., last): (u32, u8, u32),
        [head, rest @ ..]: [u32; 3],
        Wrapped(inner): Wrapped,
        whole @ Wrapped(_): &Wrapped,
        &copied: &u32,
        (mut left, (ref right, _)): (u32, (String, u8)),
    ) -> Done<u32> {
        left += 1;
        #[side_effect(key = "book/{copied}/{last}/{head}/{left}/{right}", in_doubt = "bank")]
        let booked = bank.book("patterns").await?;
        bank.last()?;
        Ok(booked + x + up + rest[1] + whole.0 + inner + copied + left)
    }
    let (value, _) = twice(async |session, bank| {
        let (point, pair) = (Point { x: 1, y: 1000 }, (5, ("r".to_owned(), 1)));
        patterns(&session, point, &bank, (1, 2, 3), [4, 5, 60], Wrapped(700), &Wrapped(8000), &90000, pair).await
    })
    .await;
    assert_eq!(value, 1 + 1 + 1000 + 60 + 8000 + 700 + 90000 + 6);
}
