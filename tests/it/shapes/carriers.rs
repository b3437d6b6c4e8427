//! Functions that other attributes have been at, and functions that return a future of their own.

use std::future::Future;
use std::pin::Pin;

use async_trait::async_trait;
use durable_runtime::prelude::*;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::bank::{Bank, Done, Failure, twice};

struct Teller {
    session: Session,
    name: String,
    served: u32,
}

#[async_trait]
trait Serves {
    async fn serve(&self, bank: &Bank, (a, b): (u32, String), n: u32, note: &str) -> Done<u32>;
    async fn change(&mut self, bank: &Bank) -> Done<u32>;
    async fn consume(self: Box<Self>, bank: &Bank) -> Done<u32>;
    async fn of_nobody(session: &Session, bank: &Bank, n: u32) -> Done<u32>;
}

#[async_trait]
impl Serves for Teller {
    #[durable_workflow(key = "serve/{self.name}/{a}", goal = "serve {self.name}", session = self.session)]
    async fn serve(&self, #[resource] bank: &Bank, (a, b): (u32, String), mut n: u32, note: &str) -> Done<u32> {
        n += a;
        let _ = (&b, note);
        #[side_effect(key = "book/{self.name}/{n}" as key, title = "book {self.name}", verify = bank.find(key.as_str()).await)]
        let booked = bank.book(key.as_str()).await?;
        bank.last()?;
        Ok(booked + n)
    }

    #[durable_workflow(session = self.session)]
    async fn change(&mut self, #[resource] bank: &Bank) -> Done<u32> {
        self.served += 1;
        #[side_effect(key = "book/{self.served}", in_doubt = "bank", args = (&self.name, self.served), classify = self.classify())]
        let booked = bank.book(format!("{}", self.served)).await?;
        bank.last()?;
        Ok(booked)
    }

    #[durable_workflow(session = self.session)]
    async fn consume(self: Box<Self>, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "book/{self.name}", in_doubt = "bank")]
        let booked = bank.book(self.name.as_str()).await?;
        bank.last()?;
        Ok(booked)
    }

    #[durable_workflow(key = "nobody/{n}")]
    async fn of_nobody(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
        #[side_effect(key = "book/{n}", in_doubt = "bank")]
        let booked = bank.book("nobody").await?;
        bank.last()?;
        Ok(booked)
    }
}

impl Teller {
    fn classify(&self) -> fn(&Failure) -> durable_runtime::Failure {
        |_| durable_runtime::Failure::unknown()
    }
}

fn teller(session: Session) -> Teller {
    Teller { session, name: "ann".to_owned(), served: 0 }
}

#[tokio::test]
async fn g61_methods_behind_async_trait_can_be_workflows() {
    let (value, booked) =
        twice(async |session, bank| teller(session).serve(bank, (2, "b".to_owned()), 3, "!").await).await;
    assert_eq!((value, booked.as_str()), (6, "serve/ann/2//book/ann/5"));
    let (value, booked) = twice(async |session, bank| teller(session).change(bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "1"));
    let (value, booked) = twice(async |session, bank| Box::new(teller(session)).consume(bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "ann"));
    let (value, booked) = twice(async |session, bank| Teller::of_nobody(&session, bank, 4).await).await;
    assert_eq!((value, booked.as_str()), (1, "nobody"));
}

#[async_trait]
trait Rests {
    async fn below(&self, bank: &Bank) -> Done<u32>;
}

#[durable_methods]
#[async_trait]
impl Rests for Teller {
    #[durable_workflow(key = "below/{self.name}", session = self.session)]
    async fn below(&self, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "book/{self.name}", verify = bank.find(&self.name).await)]
        let booked = bank.book(self.name.as_str()).await?;
        bank.last()?;
        Ok(booked)
    }
}

struct Other(Teller);

#[async_trait]
#[durable_methods]
impl Rests for Other {
    #[durable_workflow(session = self.0.session)]
    async fn below(&self, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "rest/{self.0.name}", in_doubt = "bank")]
        let booked = bank.book(self.0.name.as_str()).await?;
        bank.last()?;
        Ok(booked)
    }
}

#[tokio::test]
async fn g61_async_trait_may_stand_above_and_below() {
    let (value, booked) = twice(async |session, bank| teller(session).below(bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "ann"));
    let (value, booked) = twice(async |session, bank| Other(teller(session)).below(bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "ann"));
    assert_eq!(outline!(<Teller as Rests>::below).steps[0].key, "book/{self.name}");
    assert_eq!(outline!(<Other as Rests>::below).steps[0].key, "rest/{self.0.name}");
}

trait Returns {
    fn future(&self, session: &Session, n: u32) -> impl Future<Output = Done<u32>> + Send;
}

impl Returns for Bank {
    #[durable_workflow(key = "future/{n}")]
    fn future(&self, session: &Session, n: u32) -> impl Future<Output = Done<u32>> + Send {
        async move {
            #[side_effect(key = "book/{n}", in_doubt = "bank")]
            let booked = self.book("future").await?;
            self.last()?;
            Ok(booked)
        }
    }
}

#[durable_workflow(key = "boxed/{n}")]
fn boxed<'a>(
    session: &'a Session,
    #[resource] bank: &'a Bank,
    n: u32,
) -> Pin<Box<dyn Future<Output = Done<u32>> + Send + 'a>> {
    let label = "boxed";
    Box::pin(async move {
        #[side_effect(key = "book/{n}", in_doubt = "bank")]
        let booked = bank.book(label).await?;
        bank.last()?;
        Ok(booked)
    })
}

#[durable_workflow(key = "recursive/{n}")]
fn recursive<'a>(
    session: &'a Session,
    #[resource] bank: &'a Bank,
    n: u32,
) -> Pin<Box<dyn Future<Output = Done<u32>> + Send + 'a>> {
    Box::pin(async move {
        #[side_effect(key = "book/{n}", in_doubt = "bank")]
        let booked = bank.book(format!("level{n}")).await?;
        if n > 0 {
            recursive(session, bank, n - 1).await?;
        } else {
            bank.last()?;
        }
        Ok(booked)
    })
}

/// A box of a name that says nothing of what its future gives.
type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[durable_workflow(key = "renamed/{n}")]
fn renamed_box<'a>(session: &'a Session, #[resource] bank: &'a Bank, n: u32) -> Later<'a, Done<u32>> {
    Box::pin(async move {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book("renamed").await?;
        bank.last()?;
        Ok(booked + n)
    })
}

#[durable_workflow(key = "chained/{n}")]
fn chained<'a>(session: &'a Session, #[resource] bank: &'a Bank, n: u32) -> BoxFuture<'a, Done<u32>> {
    async move {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book("chained").await?;
        bank.last()?;
        Ok(booked + n)
    }
    .boxed()
}

#[tokio::test]
async fn g61_functions_that_return_a_future_can_be_workflows() {
    let (value, booked) = twice(async |session, bank| bank.future(&session, 4).await).await;
    assert_eq!((value, booked.as_str()), (1, "future"));
    let (value, booked) = twice(async |session, bank| boxed(&session, bank, 4).await).await;
    assert_eq!((value, booked.as_str()), (1, "boxed"));
    let (value, booked) = twice(async |session, bank| renamed_box(&session, bank, 4).await).await;
    assert_eq!((value, booked.as_str()), (5, "renamed"));
    let (value, booked) = twice(async |session, bank| chained(&session, bank, 4).await).await;
    assert_eq!((value, booked.as_str()), (5, "chained"));
    let (value, booked) = twice(async |session, bank| recursive(&session, bank, 2).await).await;
    assert_eq!((value, booked.as_str()), (1, "level2 level1 level0"));
}

#[durable_workflow(key = "above/{n}")]
#[tracing::instrument(skip_all, fields(n))]
async fn instrumented_below(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
    #[side_effect(key = "book/{n}", in_doubt = "bank")]
    let booked = bank.book("below").await?;
    bank.last()?;
    Ok(booked)
}

#[tracing::instrument(skip_all, fields(n))]
#[durable_workflow(key = "below/{n}")]
async fn instrumented_above(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
    #[side_effect(key = "book/{n}", verify = bank.find("above").await)]
    let booked = bank.book("above").await?;
    bank.last()?;
    Ok(booked)
}

#[tokio::test]
async fn spans_of_tracing_may_stand_above_and_below() {
    let (value, booked) = twice(async |session, bank| instrumented_below(&session, bank, 4).await).await;
    assert_eq!((value, booked.as_str()), (1, "below"));
    let (value, booked) = twice(async |session, bank| instrumented_above(&session, bank, 4).await).await;
    assert_eq!((value, booked.as_str()), (1, "above"));
}

mod facade {
    pub(super) mod under {
        pub(in super::super) use durable_runtime as another_name;
    }
}

#[durable_workflow(key = "renamed/{n}", crate = crate::shapes::carriers::facade::under::another_name)]
async fn renamed(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
    #[side_effect(key = "book/{n:03}" as key, verify = bank.find(key.as_str()).await.or(bank.find("renamed").await))]
    let booked = bank.book("renamed").await?;
    bank.last()?;
    Ok(booked)
}

#[tokio::test]
async fn g69_the_library_may_go_by_another_name() {
    let (value, booked) = twice(async |session, bank| renamed(&session, bank, 4).await).await;
    assert_eq!((value, booked.as_str()), (1, "renamed"));
}
