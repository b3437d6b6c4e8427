//! What an answer over HTTP proves.

use std::fmt;
use std::time::Duration;

use crate::core::failure::Failure;

/// What a status proves, with the value of the header `Retry-After` if there is one: seconds, or a date.
pub fn http(status: u16, retry_after: Option<&str>) -> Failure {
    let failure = match status {
        408 | 409 | 499 => Failure::unknown(),
        423 | 425 | 429 => Failure::retry(),
        400..=499 => Failure::rejected(),
        _ => Failure::unknown(),
    };
    retry_after.map_or(failure.clone(), |value| wait(failure, value.trim())).with_code(status)
}

fn wait(failure: Failure, value: &str) -> Failure {
    match (value.parse().map(Duration::from_secs), httpdate::parse_http_date(value)) {
        (Ok(seconds), _) => failure.not_before(seconds),
        (Err(_), Ok(date)) => failure.not_until(date),
        // What cannot be read says nothing.
        (Err(_), Err(_)) => failure,
    }
}

/// An answer over HTTP that is no success, with all that [`http`] needs to know, and the body that came with it.
///
/// Made by [`check`](Self::check), and with the feature `reqwest` by `classify::checked`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpError {
    status: u16,
    retry_after: Option<String>,
    body: String,
}

impl HttpError {
    /// Whether an answer is a success, a status from 200 to 299; `retry_after` is the value of that header.
    ///
    /// # Errors
    ///
    /// Gives any other answer.
    pub fn check(status: u16, retry_after: Option<&str>, body: &str) -> Result<(), Self> {
        if (200..300).contains(&status) {
            return Ok(());
        }
        Err(Self::new(status, retry_after.map(str::to_owned), body.to_owned()))
    }

    pub(super) fn new(status: u16, retry_after: Option<String>, body: String) -> Self {
        Self { status, retry_after, body }
    }

    /// What it proves. Its body is recorded with it, without what looks like a secret in it.
    pub fn classify(&self) -> Failure {
        let failure = http(self.status, self.retry_after.as_deref());
        if self.body.is_empty() { failure } else { failure.with_payload(&self.body) }
    }

    /// The status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The body.
    pub fn body(&self) -> &str {
        &self.body
    }
}

impl fmt::Display for HttpError {
    /// The status alone: what a body says may be nobody else's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the receiver answered with status {}", self.status)
    }
}

impl std::error::Error for HttpError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::failure::FailureKind;
    use crate::core::time::Timestamp;

    #[test]
    fn only_an_answer_that_says_so_proves_that_nothing_happened() {
        use FailureKind::{Rejected, Retry, Unknown};
        let table = [
            (Rejected, [400, 401, 402, 403, 404, 410, 413, 422].as_slice()),
            (Retry, &[423, 425, 429]),
            (Unknown, &[100, 302, 408, 409, 499, 500, 502, 503, 504, 0, 999]),
        ];
        for (kind, statuses) in table {
            for &status in statuses {
                assert_eq!(http(status, None).kind(), kind, "{status}");
            }
        }
    }

    #[test]
    fn a_wait_is_seconds_or_a_date() {
        let now = Timestamp::from_millis(1_789_286_400_000);
        let until = |value| http(429, Some(value)).until(now).map(|until| until.since(now).as_secs());
        assert_eq!(until("120"), Some(120));
        assert_eq!(until(" Sun, 13 Sep 2026 08:10:00 GMT "), Some(600));
        assert_eq!(until("Sun, 13 Sep 2026 07:00:00 GMT"), Some(0), "a date that is past is no wait");
        assert_eq!(until("soon"), None);
        assert_eq!(http(503, Some("5")).kind(), FailureKind::Unknown, "it may have happened, and the wait counts");
        assert_eq!(http(503, Some("5")).until(now), Some(now.after(Duration::from_secs(5))));
    }

    #[test]
    fn a_body_is_kept_without_its_secrets() {
        let error = HttpError::check(402, None, r#"{"why":"declined","client_secret":"pi_1"}"#).unwrap_err();
        assert_eq!(error.classify().payload().unwrap(), r#"{"why":"declined","client_secret":"[redacted]"}"#);
        assert!(HttpError::check(204, None, "").is_ok());
        assert_eq!(error.to_string(), "the receiver answered with status 402");
    }
}
