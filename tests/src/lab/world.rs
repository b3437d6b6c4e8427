//! A bank that does what it is asked for, and can look it up.

use std::fmt;

use durable_runtime::StepKey;
use durable_runtime::testing::{Effects, NoAnswer};

/// Around the effects of a lab.
#[derive(Debug)]
pub struct Bank(pub Effects);

impl Bank {
    /// Pays, and again with every call.
    ///
    /// # Errors
    ///
    /// [`NoAnswer`] if the lab lets it get lost.
    pub async fn pay(&self, key: &StepKey, amount: u64) -> Result<u64, NoAnswer> {
        self.0.apply(key, || amount).await
    }

    /// Pays once for each token.
    ///
    /// # Errors
    ///
    /// [`NoAnswer`] if the lab lets it get lost.
    pub async fn pay_once(&self, key: &StepKey, amount: u64) -> Result<u64, NoAnswer> {
        self.0.apply_once(key.token(), || amount).await
    }

    /// What was paid for the token of this key.
    pub fn bought(&self, key: &StepKey) -> Option<u64> {
        self.0.find(key.token())
    }

    /// Makes the payment of this number, and again with every call. It is known by the number, whatever its step is called.
    ///
    /// # Errors
    ///
    /// [`NoAnswer`] if the lab lets it get lost.
    pub async fn book(&self, number: u64) -> Result<u64, NoAnswer> {
        self.0.apply(format!("payment {number}"), || number + 1).await
    }

    /// What the payment of this number came to.
    pub fn booked(&self, number: u64) -> Option<u64> {
        self.0.find(format!("payment {number}"))
    }

    /// Refuses to pay, and does nothing.
    ///
    /// # Errors
    ///
    /// Always.
    pub async fn refuse(&self, key: &StepKey) -> Result<u64, Stop> {
        tokio::task::yield_now().await;
        Err(Stop(format!("no account for {key}")))
    }

    /// What was paid.
    pub async fn find(&self, key: &StepKey) -> Option<u64> {
        self.0.find(key)
    }
}

/// Why a workflow stopped.
#[derive(Debug)]
pub struct Stop(String);

impl<E: std::error::Error> From<E> for Stop {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
