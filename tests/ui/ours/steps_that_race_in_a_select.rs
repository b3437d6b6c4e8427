//! The one that loses is dropped, and once the other is recorded no start comes to it again.
use std::time::Duration;

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn agreed(session: &Session) -> Result<bool, Error> {
    let agreed = tokio::select! {
        biased;
        agreed = async {
            #[decision(key = "agree", ask = "finance")]
            let agreed: Approval = session.decide().await?;
            Ok::<_, Error>(agreed.is_approved())
        } => agreed?,
        late = async {
            #[sleep(key = "too-late")]
            session.sleep(Duration::from_secs(3600)).await?;
            Ok::<_, Error>(false)
        } => late?,
    };
    let card = async {
        #[read(key = "card")]
        let is_open = call().await?;
        Ok::<_, Error>(is_open)
    };
    let cash = async {
        #[read(key = "cash")]
        let is_open = call().await?;
        Ok::<_, Error>(is_open)
    };
    let is_open = tokio::select! {
        biased;
        is_open = card => is_open?,
        is_open = cash => is_open?,
    };
    Ok(agreed && is_open)
}

async fn call() -> Result<bool, Error> {
    Ok(true)
}

fn main() {}
