use std::time::Duration;

use durable_runtime::Error;
use durable_runtime::prelude::*;
use futures_util::FutureExt;

const HOUR: Duration = Duration::from_secs(3600);

#[durable_workflow]
async fn pay(session: &Session) -> Result<(), Error> {
    tokio::select! {
        biased;
        slept = #[sleep(key = "hour")] session.sleep(HOUR) => slept?,
        () = other() => {}
    }
    let (slept, ()) = tokio::join!(#[sleep(key = "two")] session.sleep(HOUR), other());
    slept?;
    #[sleep(key = "three")]
    let third = session.sleep(HOUR);
    third.await?;
    #[sleep(key = "four")]
    session.sleep(HOUR)?;
    session.sleep(HOUR).boxed().await?;
    let mut fused = session.decide::<Approval>().fuse();
    (&mut fused).await?;
    Ok(())
}

async fn other() {}

fn main() {}
