//! Methods, by every kind of `self`, and those of traits.

use std::fmt::Display;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use durable_runtime::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::bank::{Bank, Done, Failure, twice};

#[derive(Clone)]
struct Clerk<'a, T = u32> {
    session: Session,
    bank: &'a Bank,
    desk: T,
}

impl<'a> Clerk<'a> {
    fn new(session: Session, bank: &'a Bank) -> Self {
        Self { session, bank, desk: 7 }
    }

    #[durable_workflow(session = self.session)]
    async fn shared(self: Arc<Self>, what: &str) -> Done<u32> {
        #[side_effect(key = "book/{self.desk}", in_doubt = "bank")]
        let booked = self.bank.book(what).await?;
        self.bank.last()?;
        Ok(booked)
    }

    #[durable_workflow(session = self.session)]
    async fn counted(self: Rc<Self>) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = self.bank.book("rc").await?;
        self.bank.last()?;
        Ok(booked)
    }

    #[durable_workflow(session = self.session)]
    async fn behind(self: &Arc<Self>) -> Done<u32> {
        #[side_effect(key = "book", verify = self.bank.find("behind").await)]
        let booked = self.bank.book("behind").await?;
        self.bank.last()?;
        Ok(booked)
    }

    #[durable_workflow(session = self.session)]
    async fn pinned(self: Pin<&Self>) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = self.bank.book("pinned").await?;
        self.bank.last()?;
        Ok(booked)
    }

    #[durable_workflow(session = &self.session)]
    async fn owned(mut self, more: u32) -> Done<u32> {
        self.desk += more;
        #[side_effect(key = "book/{self.desk}", in_doubt = "bank")]
        let booked = self.bank.book(format!("owned{}", self.desk)).await?;
        self.bank.last()?;
        Ok(booked + self.desk)
    }

    #[durable_workflow(session = self.session.clone())]
    async fn cloned(&self) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = self.bank.book("cloned").await?;
        self.bank.last()?;
        Ok(booked)
    }

    #[durable_workflow(key = "outer", session = self.session)]
    async fn calls_another(&self) -> Done<u32> {
        #[side_effect(key = "before", in_doubt = "bank")]
        let before = self.bank.book("before").await?;
        #[side_effect(key = "after", title = "book at {self.desk}", in_doubt = "bank")]
        let after = self.helper(before).await?;
        self.bank.last()?;
        Ok(after)
    }

    async fn helper(&self, n: u32) -> Done<u32> {
        self.bank.book(format!("helped{n}")).await
    }
}

impl<T: Display + Clone> Clerk<'_, T> {
    #[durable_workflow(key = "generic/{extra}", session = self.session)]
    async fn generic<U>(&self, extra: U) -> Result<U, Failure>
    where
        U: KeyPart + Clone + Serialize + DeserializeOwned,
    {
        #[side_effect(key = "book/{extra}", title = "at {self.desk}", in_doubt = "bank")]
        self.bank.book(self.desk.to_string()).await?;
        self.bank.last()?;
        Ok(extra)
    }
}

#[tokio::test]
async fn self_may_be_anything_that_a_method_takes() {
    async fn check(work: impl AsyncFn(Clerk<'_>) -> Done<u32>, value: u32, effects: &str) {
        let ran = twice(async |session, bank| work(Clerk::new(session, bank)).await).await;
        assert_eq!(ran, (value, effects.to_owned()));
    }
    check(async |clerk| Arc::new(clerk).shared("arc").await, 1, "arc").await;
    check(async |clerk| Rc::new(clerk).counted().await, 1, "rc").await;
    check(async |clerk| Arc::new(clerk).behind().await, 1, "behind").await;
    check(async |clerk| Pin::new(&clerk).pinned().await, 1, "pinned").await;
    check(async |clerk| clerk.owned(3).await, 11, "owned10").await;
    check(async |clerk| clerk.cloned().await, 1, "cloned").await;
    check(async |clerk| clerk.calls_another().await, 2, "before helped1").await;
    check(async |clerk| Clerk { session: clerk.session, bank: clerk.bank, desk: "x" }.generic(5).await, 5, "x").await;
}

trait Pays {
    const WHAT: &'static str;
    type Receipt: Serialize + DeserializeOwned;

    fn bank(&self) -> &Bank;

    async fn pay(&self, session: &Session, n: u32) -> Done<Self::Receipt>;

    fn pay_sent(&self, session: &Session) -> impl Future<Output = Done<u32>> + Send;

    #[durable_workflow(key = "provided/{n}")]
    async fn provided(&self, session: &Session, n: u32) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = self.bank().book(Self::WHAT).await?;
        self.bank().last()?;
        Ok(booked + n)
    }

    #[durable_workflow]
    async fn without_self(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book(Self::WHAT).await?;
        bank.last()?;
        Ok(booked)
    }
}

impl Pays for &Bank {
    type Receipt = (u32, String);

    const WHAT: &'static str = "what";

    fn bank(&self) -> &Bank {
        self
    }

    #[durable_workflow(key = "pay/{n}")]
    async fn pay(&self, session: &Session, n: u32) -> Done<Self::Receipt> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let receipt: Self::Receipt = self.book("pay").await.map(|booked| (booked, Self::WHAT.to_owned()))?;
        self.last()?;
        Ok(receipt)
    }

    #[durable_workflow(key = "sent")]
    async fn pay_sent(&self, session: &Session) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = self.book("sent").await?;
        self.last()?;
        Ok(booked)
    }
}

#[tokio::test]
async fn methods_of_traits_may_be_required_and_provided() {
    let (value, booked) = twice(async |session, bank| bank.pay(&session, 1).await).await;
    assert_eq!((value, booked.as_str()), ((1, "what".to_owned()), "pay"));
    let (value, booked) = twice(async |session, bank| (&bank).pay_sent(&session).await).await;
    assert_eq!((value, booked.as_str()), (1, "sent"));
    let (value, booked) = twice(async |session, bank| (&bank).provided(&session, 4).await).await;
    assert_eq!((value, booked.as_str()), (5, "what"));
    let (value, booked) = twice(async |session, bank| <&Bank>::without_self(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "what"));
}
