//! The worker's side of the bank.

use std::time::Duration;

use anyhow::Context as _;
use uuid::Uuid;

pub(crate) use crate::ledger::Receipt;
use crate::ledger::Transfer;
use crate::pause::{Pause, Point};

/// A bank that can be called.
pub(crate) struct Bank {
    http: reqwest::Client,
    url: String,
    pause: Pause,
}

impl Bank {
    /// A handle to the bank at `url`; nothing is sent yet.
    pub(crate) fn at(url: &str, pause: Pause) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(2))
            .timeout(Duration::from_secs(30))
            .no_proxy()
            // One call, one request: whether to send again is for the workflow to decide.
            .retry(reqwest::retry::never())
            .build()?;
        Ok(Self { http, url: url.trim_end_matches('/').to_owned(), pause })
    }

    /// Sends money. The token travels with it, so that the transfer can be found again.
    pub(crate) async fn transfer(&self, token: Uuid, key: &str, amount: u32) -> anyhow::Result<Receipt> {
        self.pause.here(Point::BeforeSend, key).await;
        let transfer = Transfer { key: key.to_owned(), token, amount };
        let receipt = answer(self.http.post(format!("{}/transfers", self.url)).json(&transfer)).await?;
        self.pause.here(Point::AfterReply, key).await;
        Ok(receipt)
    }

    /// Looks a transfer up: `None` only if the bank itself says that it has not booked one.
    pub(crate) async fn find(&self, token: Uuid) -> anyhow::Result<Option<Receipt>> {
        answer(self.http.get(format!("{}/transfers/{token}", self.url))).await
    }
}

async fn answer<T: serde::de::DeserializeOwned>(request: reqwest::RequestBuilder) -> anyhow::Result<T> {
    let response = request.send().await.context("the bank cannot be reached")?;
    let response = response.error_for_status().context("the bank refused")?;
    response.json().await.context("the bank's answer cannot be read")
}
