//! Workflows in a crate of the 2021 edition.

#![deny(warnings, missing_docs, rust_2018_idioms)]

use std::future::Future;
use std::sync::Mutex;

use durable_runtime::prelude::*;
use durable_runtime::Error;

/// What was booked.
#[derive(Debug, Default)]
pub struct Bank(Mutex<Vec<String>>);

impl Bank {
    /// Books one.
    ///
    /// # Errors
    ///
    /// Never.
    pub async fn book(&self, what: &str) -> Result<usize, Error> {
        let mut booked = self.0.lock().expect("nobody panics while booking");
        booked.push(what.to_owned());
        Ok(booked.len())
    }

    /// Books through a method.
    ///
    /// # Errors
    ///
    /// Fails if the session cannot go on.
    #[durable_workflow(key = "method/{n}", goal = "book {n}")]
    pub async fn method(&self, session: &Session, n: u32) -> Result<usize, Error> {
        #[side_effect(key = "book", in_doubt = "bank")]
        let booked = self.book("method").await?;
        Ok(booked)
    }
}

/// Books each, under names that later editions reserve.
///
/// # Errors
///
/// Fails if the session cannot go on.
#[durable_workflow(key = "all/{gen}", goal = "book {names.len()}", inputs = "recorded")]
pub async fn all<'a>(
    session: &Session,
    #[resource] bank: &'a Bank,
    names: &[&'a str],
    gen: u32,
    #[input(default)] last: Option<&str>,
) -> Result<usize, Error> {
    let mut booked = 0;
    for name in names {
        #[side_effect(key = "book/{name}" as key, title = "book {name}", verify = find(bank, name), settle = "0s")]
        let number = {
            let _: &StepKey = key;
            bank.book(name).await
        }?;
        booked = number;
    }
    if let Some(last) = last {
        let book = |what: String| async move {
            #[side_effect(key = "last/{what}", in_doubt = "bank")]
            bank.book(&what).await?;
            Ok::<_, Error>(())
        };
        book(last.to_owned()).await?;
    }
    Ok(booked)
}

fn find(bank: &Bank, name: &str) -> Option<usize> {
    bank.0.lock().ok()?.iter().position(|booked| booked == name).map(|at| at + 1)
}

/// Books without looking.
///
/// # Errors
///
/// Fails if the session cannot go on.
///
/// # Safety
///
/// None is needed; the shape is tried.
#[durable_workflow(key = "reckless", goal = "book without looking")]
pub async unsafe fn reckless(session: &Session, #[resource] bank: &Bank) -> Result<usize, Error> {
    #[side_effect(key = "book", in_doubt = "bank")]
    let booked = unsafe { unchecked(bank).await }?;
    Ok(booked)
}

unsafe fn unchecked(bank: &Bank) -> impl Future<Output = Result<usize, Error>> + '_ {
    bank.book("reckless")
}

#[cfg(test)]
mod tests {
    use durable_runtime::store::memory::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn a_caller_of_an_earlier_edition_has_the_same_language() {
        let (store, bank) = (MemoryStore::new(), Bank::default());
        for _ in 0..2 {
            let session = Session::builder("unused").store(store.clone()).open().await.unwrap();
            assert_eq!(all(&session, &bank, &["a", "b"], 1, Some("c")).await.unwrap(), 2);
            assert_eq!(bank.method(&session, 7).await.unwrap(), 4);
            // SAFETY: there is nothing to keep to.
            assert_eq!(unsafe { reckless(&session, &bank).await }.unwrap(), 5);
        }
        assert_eq!(*bank.0.lock().unwrap(), ["a", "b", "c", "method", "reckless"]);
    }
}
