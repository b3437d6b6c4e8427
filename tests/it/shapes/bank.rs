//! A bank that counts, and a workflow in two starts.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use durable_runtime::Session;
use durable_runtime::store::memory::MemoryStore;

#[derive(Debug)]
pub(super) struct Failure(pub(super) String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<durable_runtime::Error> for Failure {
    fn from(error: durable_runtime::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<std::num::ParseIntError> for Failure {
    fn from(error: std::num::ParseIntError) -> Self {
        Self(error.to_string())
    }
}

pub(super) type Done<T = ()> = Result<T, Failure>;

#[derive(Debug, Default)]
pub(super) struct Bank {
    booked: Mutex<Vec<String>>,
    is_open: AtomicBool,
}

impl Bank {
    pub(super) async fn book(&self, what: impl Into<String>) -> Done<u32> {
        tokio::task::yield_now().await;
        let mut booked = self.booked.lock().unwrap();
        booked.push(what.into());
        Ok(u32::try_from(booked.len()).unwrap())
    }

    pub(super) async fn note(&self, what: &str) -> u32 {
        self.book(what).await.unwrap()
    }

    pub(super) async fn find(&self, what: &str) -> Option<u32> {
        let booked = self.booked.lock().unwrap();
        booked.iter().position(|entry| entry == what).map(|at| u32::try_from(at + 1).unwrap())
    }

    pub(super) fn booked(&self) -> Vec<String> {
        self.booked.lock().unwrap().clone()
    }

    /// Fails in the first start, so that there is a second.
    pub(super) fn last(&self) -> Done {
        if self.is_open.swap(true, Ordering::Relaxed) { Ok(()) } else { Err(Failure("closed".to_owned())) }
    }
}

/// Runs a workflow in two starts of one session; gives its result, and the effects in the order they happened.
pub(super) async fn twice<T: fmt::Debug>(work: impl AsyncFn(Session, &Bank) -> Done<T>) -> (T, String) {
    let (store, bank) = (MemoryStore::new(), Bank::default());
    let open = || Session::builder("unused").store(store.clone()).goal("try the shapes").open();
    let first = work(open().await.unwrap(), &bank).await.unwrap_err();
    assert_eq!(first.to_string(), "closed");
    let value = work(open().await.unwrap(), &bank).await.unwrap();
    let booked = bank.booked.lock().unwrap().join(" ");
    (value, booked)
}
