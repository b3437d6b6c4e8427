//! Workflows that move between threads, and those that do not.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use durable_runtime::prelude::*;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::bank::{Bank, Done, Failure, twice};

fn is_send<T: Send>(moves: T) -> T {
    moves
}

/// A value and an error that may move, but not be shared.
#[tokio::test]
async fn the_values_of_steps_need_not_be_shared_between_threads() {
    #[derive(Debug)]
    struct Unshared(Cell<u32>);

    impl fmt::Display for Unshared {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "unshared {}", self.0.get())
        }
    }

    impl From<Unshared> for Failure {
        fn from(error: Unshared) -> Self {
            Self(error.to_string())
        }
    }

    async fn book(bank: &Bank, name: &str) -> Result<Cell<u32>, Unshared> {
        bank.book(name).await.map(Cell::new).map_err(|_| Unshared(Cell::new(0)))
    }

    #[durable_workflow]
    async fn unshared(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "fallible", in_doubt = "bank", retry(attempts = 2), timeout = "60s", classify = |_: &Unshared| durable_runtime::Failure::rejected())]
        let fallible = book(bank, "fallible").await?;
        #[side_effect(key = "recorded", in_doubt = "bank", errors = "recorded")]
        let recorded = book(bank, "recorded").await;
        #[read(key = "plain")]
        let plain = RefCell::new(fallible.get());
        *plain.borrow_mut() += recorded.map_or(0, |cell| cell.get());
        bank.last()?;
        Ok(plain.into_inner())
    }
    let (value, booked) = twice(async |session, bank| is_send(unshared(&session, bank)).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2, "fallible recorded"));
}

#[tokio::test]
async fn a_local_workflow_records_what_stays_on_its_thread() {
    #[durable_workflow(local)]
    async fn local(session: &Session, #[resource] bank: &Bank) -> Result<u32, Box<dyn std::error::Error>> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book("local").await.map(Rc::new)?;
        #[side_effect(key = "more", in_doubt = "bank")]
        let more = boxed(bank).await?;
        bank.last()?;
        Ok(*booked + more)
    }

    async fn boxed(bank: &Bank) -> Result<u32, Box<dyn std::error::Error>> {
        Ok(bank.book("boxed").await?)
    }
    let (value, booked) =
        twice(async |session, bank| local(&session, bank).await.map_err(|error| Failure(error.to_string()))).await;
    assert_eq!((value, booked.as_str()), (1 + 2, "local boxed"));
}

/// Of a parameter of the block nobody knows what it is: whether its futures move is said where they are to.
#[tokio::test]
async fn an_associated_function_may_use_a_parameter_of_its_block() {
    trait Api {
        type Receipt: serde::Serialize + serde::de::DeserializeOwned;

        fn book(&self, what: &str) -> impl Future<Output = Done<Self::Receipt>>;
    }

    impl Api for Bank {
        type Receipt = u32;

        fn book(&self, what: &str) -> impl Future<Output = Done<u32>> {
            Bank::book(self, what)
        }
    }

    struct Desk<Client>(Client);

    impl<Client: Api> Desk<Client> {
        #[durable_workflow]
        async fn open(session: &Session, #[resource] client: &Client, name: String) -> Done<String> {
            #[side_effect(key = "book", in_doubt = "bank")]
            let receipt = client.book(&name).await?;
            #[side_effect(key = "again", in_doubt = "bank")]
            client.book(&name).await?;
            drop(receipt);
            Ok(name)
        }
    }
    let (value, booked) = twice(async |session, bank| {
        let opened = is_send(Desk::<Bank>::open(&session, bank, "desk".to_owned())).await?;
        bank.last()?;
        Ok(Desk(opened).0)
    })
    .await;
    assert_eq!((value.as_str(), booked.as_str()), ("desk", "desk desk"));
}

#[tokio::test]
async fn a_local_workflow_may_hold_what_stays_on_its_thread() {
    #[durable_workflow(local)]
    async fn local(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        let name = Rc::new("local");
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book(*name).await?;
        bank.last()?;
        Ok(booked + u32::try_from(name.len()).unwrap())
    }
    let (value, booked) = twice(async |session, bank| local(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (6, "local"));
}

#[tokio::test]
async fn a_workflow_may_call_itself() {
    #[durable_workflow(key = "down/{n}")]
    async fn down(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book(format!("down{n}")).await?;
        let below = if n == 0 { 0 } else { Box::pin(down(session, bank, n - 1)).await? };
        bank.last()?;
        Ok(booked + below)
    }
    let (value, booked) = twice(async |session, bank| down(&session, bank, 2).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2 + 3, "down2 down1 down0"));
}

#[tokio::test]
async fn workflows_may_call_each_other() {
    #[durable_workflow(key = "ping/{n}")]
    async fn ping(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book(format!("ping{n}")).await?;
        let below = pong(session, bank, n).await?;
        bank.last()?;
        Ok(booked + below)
    }
    #[durable_workflow(key = "pong/{n}")]
    async fn pong(session: &Session, #[resource] bank: &Bank, n: u32) -> Done<u32> {
        if n == 0 {
            return Ok(0);
        }
        Box::pin(ping(session, bank, n - 1)).await
    }
    let (value, booked) = twice(async |session, bank| ping(&session, bank, 1).await).await;
    assert_eq!((value, booked.as_str()), (1 + 2, "ping1 ping0"));
}

struct Lent<'a>(&'a Session);

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        assert!(!self.0.id().is_nil());
    }
}

/// Tasks run by themselves, and a guard lives as long as what it holds.
#[tokio::test]
async fn what_gets_the_session_may_be_dropped_where_no_step_is_lost_with_it() {
    fn beat(session: &Session) -> JoinHandle<()> {
        let session = session.clone();
        tokio::spawn(async move { drop(session) })
    }

    fn ended(_: &Session) -> oneshot::Receiver<()> {
        oneshot::channel().1
    }

    #[durable_workflow]
    async fn beside(session: &Session, #[resource] bank: &Bank, name: Option<String>) -> Done<u32> {
        let _beat = beat(session);
        drop(beat(session));
        let _beats = vec![beat(session), beat(session)];
        let _ended = ended(session);
        let _lent = Lent(&session.clone());
        _ = name.as_ref().map(|_| beat(session));
        name.as_ref().map(|_| beat(session));
        let mut beats = Vec::new();
        beats.push(beat(session));
        let mut old = HashMap::new();
        let _ = old.insert(session.id().to_string(), Default::default());
        old.insert(String::new(), 1);
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book("book").await?;
        bank.last()?;
        Ok(booked)
    }
    let (value, booked) =
        twice(async |session, bank| is_send(beside(&session, bank, Some("Ada".to_owned()))).await).await;
    assert_eq!((value, booked.as_str()), (1, "book"));
}
