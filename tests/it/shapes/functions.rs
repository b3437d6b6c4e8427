//! The functions that can be workflows.

use std::fmt::Display;
use std::sync::Arc;

use durable_runtime::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::bank::{Bank, Done, Failure, twice};

struct Teller<'a> {
    session: Session,
    bank: &'a Bank,
    served: u32,
}

impl Teller<'_> {
    #[durable_workflow(key = "shared/{name}", session = self.session)]
    async fn shared(&self, name: &str) -> Done<u32> {
        #[side_effect(key = "book/{name}", in_doubt = "bank")]
        let booked = self.bank.book(name).await?;
        self.bank.last()?;
        Ok(booked)
    }

    #[durable_workflow(session = self.session)]
    async fn exclusive(&mut self, name: String) -> Done<u32> {
        self.served += 1;
        #[side_effect(key = "book/{self.served}", in_doubt = "bank")]
        let booked = self.bank.book(name).await?;
        self.bank.last()?;
        Ok(booked)
    }

    #[durable_workflow(session = self.session)]
    async fn consuming(self: Box<Self>) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = self.bank.book("boxed").await?;
        self.bank.last()?;
        Ok(booked)
    }

    const GREETING: &'static str = "hello";

    #[durable_workflow]
    async fn associated(session: &Session, #[resource] bank: &Bank) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book(Self::GREETING).await?;
        bank.last()?;
        Ok(booked)
    }
}

#[tokio::test]
async fn methods_can_be_workflows() {
    fn teller(session: Session, bank: &Bank) -> Teller<'_> {
        Teller { session, bank, served: 0 }
    }
    let (value, booked) = twice(async |session, bank| teller(session, bank).shared("ann").await).await;
    assert_eq!((value, booked.as_str()), (1, "ann"));
    let (value, booked) = twice(async |session, bank| teller(session, bank).exclusive("bob".to_owned()).await).await;
    assert_eq!((value, booked.as_str()), (1, "bob"));
    let (value, booked) = twice(async |session, bank| Box::new(teller(session, bank)).consuming().await).await;
    assert_eq!((value, booked.as_str()), (1, "boxed"));
    let (value, booked) = twice(async |session, bank| Teller::associated(&session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "hello"));
}

trait Pays {
    async fn pay(&self, session: &Session, amount: u32) -> Done<u32>;
}

impl Pays for Bank {
    #[durable_workflow(key = "pay/{amount}")]
    async fn pay(&self, session: &Session, amount: u32) -> Done<u32> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = self.book(format!("pay{amount}")).await?;
        self.last()?;
        Ok(booked)
    }
}

#[tokio::test]
async fn methods_of_traits_can_be_workflows() {
    let (value, booked) = twice(async |session, bank| bank.pay(&session, 7).await).await;
    assert_eq!((value, booked.as_str()), (1, "pay7"));
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Invoice {
    id: u32,
    to: (String, u8),
}

#[tokio::test]
async fn generic_functions_can_be_workflows() {
    #[durable_workflow(key = "generic/{id}")]
    async fn generic<'a, T, const N: usize>(
        session: &Session,
        #[resource] bank: &'a Bank,
        id: impl KeyPart + Serialize + DeserializeOwned,
        value: T,
    ) -> Result<(T, usize), Failure>
    where
        T: Clone + Display + Serialize + DeserializeOwned,
    {
        #[side_effect(key = "book", title = "book {value}", in_doubt = "bank")]
        let value = bank.book(value.to_string()).await.map(|_| value.clone())?;
        bank.last()?;
        Ok((value, N))
    }
    let (value, booked) =
        twice(async |session, bank| generic::<_, 3>(&session, bank, 8_u8, "x".to_owned()).await).await;
    assert_eq!((value, booked.as_str()), (("x".to_owned(), 3), "x"));
}

#[tokio::test]
async fn parameters_may_be_patterns_references_and_mutable() {
    #[durable_workflow(key = "params/{a}/{id}", goal = "pay {invoices.len()} of {b}")]
    async fn params(
        session: &Session,
        #[resource] bank: &Bank,
        (a, b): (u32, String),
        Invoice { id, to: (payee, _) }: &Invoice,
        mut rest: Vec<u32>,
        invoices: &[Invoice],
        _: u8,
    ) -> Done<String> {
        rest.push(a);
        while let Some(n) = rest.pop() {
            #[side_effect(key = "rest/{n}", in_doubt = "bank")]
            bank.book(format!("{b}{n}")).await?;
        }
        for invoice in invoices {
            #[side_effect(
                key = "invoice/{invoice.id}/{invoice.to.1}",
                title = "pay {invoice.to.0:>4}",
                in_doubt = "bank"
            )]
            bank.book(payee).await?;
        }
        bank.last()?;
        Ok(format!("{payee}{id}"))
    }
    let invoice = Invoice { id: 4, to: ("eve".to_owned(), 1) };
    let (value, booked) = twice(async |session, bank| {
        params(&session, bank, (1, "b".to_owned()), &invoice, vec![2, 3], std::slice::from_ref(&invoice), 0).await
    })
    .await;
    assert_eq!((value.as_str(), booked.as_str()), ("eve4", "b1 b3 b2 eve"));
}

#[tokio::test]
async fn a_session_comes_in_every_form() {
    #[durable_workflow(key = "owned")]
    async fn owned(session: Session, #[resource] bank: &Bank) -> Done<u32> {
        let _: Session = session;
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = bank.book("owned").await?;
        bank.last()?;
        Ok(booked)
    }
    #[durable_workflow(key = "shared/{n}/{n:02}", goal = "share {n}")]
    async fn shared(session: Arc<Session>, #[resource] bank: Arc<Bank>, n: u8) -> Done<u32> {
        let _: &Arc<Session> = &session;
        #[side_effect(key = "book/{n:03}" as key, title = "book {n}", verify = bank.find(key.as_str()).await)]
        let booked = bank.book("shared").await?;
        bank.last()?;
        Ok(booked)
    }
    let (value, booked) = twice(async |session, bank| owned(session, bank).await).await;
    assert_eq!((value, booked.as_str()), (1, "owned"));

    let bank = Arc::new(Bank::default());
    let session = Session::builder("unused")
        .store(durable_runtime::store::memory::MemoryStore::new())
        .goal("run on another thread")
        .open()
        .await
        .unwrap();
    let first = tokio::spawn(shared(Arc::new(session), Arc::clone(&bank), 1));
    assert_eq!(first.await.unwrap().unwrap_err().to_string(), "closed");
}

macro_rules! workflow {
    ($name:ident, $key:literal, $hole:ident, $value:expr) => {
        #[durable_workflow(key = $key)]
        async fn $name(session: &Session, #[resource] bank: &Bank, $hole: u32) -> Done<u32> {
            #[side_effect(key = $key, in_doubt = "bank")]
            let booked = bank.book($value).await?;
            bank.last()?;
            Ok(booked)
        }
    };
}

workflow!(made_by_a_macro, "made/{id}", id, "made");

#[tokio::test]
async fn a_macro_can_write_workflows() {
    let (value, booked) = twice(async |session, bank| made_by_a_macro(&session, bank, 1).await).await;
    assert_eq!((value, booked.as_str()), (1, "made"));
}
