//! What an error of `reqwest` proves.

use reqwest::Response;
use reqwest::header::RETRY_AFTER;

use super::http::{HttpError, http};
use crate::core::failure::Failure;

/// What an error of `reqwest` proves: a request that was never sent did nothing. Needs the feature `reqwest` of this crate.
///
/// An error made by `error_for_status` no longer has the headers and the body of the answer; [`checked`] keeps them.
pub fn reqwest(error: &reqwest::Error) -> Failure {
    match error.status() {
        Some(status) => http(status.as_u16(), None),
        None if error.is_builder() => Failure::rejected(),
        None if error.is_connect() => Failure::retry(),
        None => Failure::unknown(),
    }
}

/// An answer that is a success; any other becomes an error that knows its `Retry-After` and its body. Needs the feature
/// `reqwest` of this crate.
///
/// # Errors
///
/// Gives any other answer as an [`HttpError`].
pub async fn checked(response: Response) -> Result<Response, HttpError> {
    let status = response.status().as_u16();
    if response.status().is_success() {
        return Ok(response);
    }
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
    // The status is the answer; what is lost of its body is only a remark.
    let body = response.text().await.unwrap_or_default();
    Err(HttpError::new(status, retry_after, body))
}
