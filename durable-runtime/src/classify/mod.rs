//! Ready classifiers: what an error proves about the effect that gave it.
//!
//! Each is a `fn(&E) -> Failure`, for the `classify` argument of a step. They claim no more than an answer proves: a
//! request that was refused did nothing, and one that was not answered may have done everything.
//!
//! | what came back | what it proves |
//! |---|---|
//! | no connection: refused, no route, no such host | nothing happened, another attempt may succeed |
//! | 423, 425, 429 | nothing happened, another attempt may succeed, after `Retry-After` |
//! | any other 4xx but 408, 409 and 499 | nothing happened, and it is of no use to try again |
//! | 408, 409, 499, 5xx, a timeout, a broken connection, anything else | nothing is proven; a `Retry-After` is respected |
//!
//! `classify::anyhow` is there with the feature `anyhow`, and `classify::reqwest` and `classify::checked` with `reqwest`:
//! `durable-runtime = { version = "..", features = ["anyhow", "reqwest"] }`.
//!
//! ```
//! use durable_runtime::classify::{self, HttpError};
//! use durable_runtime::prelude::*;
//! # async fn post(_: impl ToString) -> Result<(u16, String), std::io::Error> { Ok((201, "17".to_owned())) }
//!
//! async fn charge(token: impl ToString) -> anyhow::Result<String> {
//!     let (status, body) = post(token).await?;
//!     HttpError::check(status, None, &body)?;
//!     Ok(body)
//! }
//!
//! #[durable_workflow(goal = "charge once")]
//! async fn once(session: &Session) -> anyhow::Result<String> {
//!     #[side_effect(
//!         key = "charge" as charge,
//!         idempotent,
//!         classify = |error: &anyhow::Error| classify::chain(error.as_ref()),
//!         retry(attempts = 4),
//!     )]
//!     let receipt = charge_with(charge.token()).await?;
//!     Ok(receipt)
//! }
//! # async fn charge_with(token: impl ToString) -> anyhow::Result<String> { charge(token).await }
//! ```

mod http;
#[cfg(feature = "reqwest")]
mod reqwest;

use std::error::Error;
use std::io;

pub use http::{HttpError, http};
#[cfg(feature = "reqwest")]
pub use reqwest::{checked, reqwest};

use crate::core::failure::Failure;

/// What an error proves whose causes are known here: the first of them that is an [`HttpError`], an [`io::Error`] or, with
/// the feature `reqwest`, a `reqwest::Error`. For an `anyhow::Error`, give `error.as_ref()`, or see `classify::anyhow`.
pub fn chain(error: &(dyn Error + 'static)) -> Failure {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(failure) = known(error) {
            return failure;
        }
        cause = error.source();
    }
    Failure::unknown()
}

/// The same for the causes of an `anyhow::Error`. Needs the feature `anyhow` of this crate.
#[cfg(feature = "anyhow")]
pub fn anyhow(error: &anyhow::Error) -> Failure {
    chain(error.as_ref())
}

/// What an error of the operating system proves: where no connection was made, nothing was sent.
pub fn io(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::ConnectionRefused
        | io::ErrorKind::AddrNotAvailable
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable => Failure::retry(),
        _ => Failure::unknown(),
    }
}

fn known(error: &(dyn Error + 'static)) -> Option<Failure> {
    if let Some(error) = error.downcast_ref::<HttpError>() {
        return Some(error.classify());
    }
    #[cfg(feature = "reqwest")]
    if let Some(error) = error.downcast_ref::<::reqwest::Error>() {
        return Some(reqwest(error));
    }
    error.downcast_ref::<io::Error>().map(io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::failure::FailureKind;

    #[derive(Debug, thiserror::Error)]
    #[error("paying failed")]
    struct Outer<E: Error + 'static>(#[source] E);

    #[test]
    fn the_first_cause_that_is_known_counts() {
        let refused = Outer(Outer(io::Error::from(io::ErrorKind::ConnectionRefused)));
        assert_eq!(chain(&refused).kind(), FailureKind::Retry);
        let declined = Outer(HttpError::check(402, None, "declined").unwrap_err());
        assert_eq!(chain(&declined), Failure::rejected().with_code(402).with_payload("declined"));
        assert_eq!(chain(&Outer(std::fmt::Error)), Failure::unknown());
        assert_eq!(io(&io::ErrorKind::ConnectionReset.into()).kind(), FailureKind::Unknown);
    }
}
