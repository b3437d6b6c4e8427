//! The one room that waits.

use std::time::Duration;

/// Lets a little time pass before the next look at a log: no system tells on every disk that one has grown.
#[expect(clippy::disallowed_methods, reason = "the one room that waits")]
pub(crate) async fn rest(length: Duration) {
    tokio::time::sleep(length).await;
}
