use std::time::Duration;

use durable_runtime::Error;
use durable_runtime::prelude::*;

const HOUR: Duration = Duration::from_secs(3600);

#[durable_workflow]
async fn pay(session: &Session, n: u32) -> Result<u32, Error> {
    #[sleep(key = "a")]
    if n > 3 {
        session.sleep(HOUR).await?;
    }
    #[decision(key = "b")]
    if session.decide::<Approval>().await?.is_approved() {
        return Ok(3);
    }
    #[decision(key = "c")]
    let agreed = session.decide::<Approval>().await?.is_approved();
    #[sleep(key = "d")]
    let _ = tokio::time::timeout(HOUR, session.sleep(HOUR)).await;
    #[sleep(key = "e")]
    Session::sleep(session, HOUR).await?;
    #[sleep(key = "f")]
    session.sleep(HOUR).key("other").await?;
    #[decision(key = "g")]
    let more: Approval = session.decide().key("other").ask("finance").await?;
    session.sleep(HOUR).title("an hour").key("h").await?;
    session.decide::<Approval>().ask("finance").title("pay").key("i").await?;
    let mut pinned = std::pin::pin!(session.sleep(HOUR));
    (&mut pinned).await?;
    Ok(u32::from(agreed && more.is_approved()))
}

fn main() {}
