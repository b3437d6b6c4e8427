//! Each place has its own way to write a wait, and what stands there is not wrong twice.
use std::time::Duration;

use durable_runtime::Error;
use durable_runtime::prelude::*;

const DAY: Duration = Duration::from_secs(86_400);

#[durable_workflow]
async fn waits(session: &Session, rounds: Vec<u32>) -> Result<bool, Error> {
    for (at, round) in rounds.iter().enumerate() {
        let (slept, _) = tokio::join!(session.sleep(DAY), async { at + *round as usize });
        slept?;
    }
    if session.decide().await? {
        session.sleep(DAY).await?;
        session.sleep(DAY).await?;
    }
    let (_one, _other): (u32, u32) = session.decide().await?;
    let wait = session.sleep(DAY);
    wait.await?;
    Session::sleep(session, DAY).await?;
    Box::pin((*session).sleep(DAY)).await?;
    return Ok(session.decide::<bool>().await?);
}

#[durable_workflow]
async fn by_hand(session: &Session, n: u32) -> Result<u32, Error> {
    session.sleep(DAY).key("day/{n}").await?;
    session.side_effect("pay/{n}").in_doubt("ada").run(|_| async { Ok::<_, Error>(n) }).await?;
    #[read(key = "seen")]
    let seen: u32 = {
        session.sleep(DAY).key("in").await?;
        n
    };
    #[read(key = "slept")]
    session.sleep(DAY).key("b").await?;
    Ok(seen)
}

struct Desk {
    ctx: Bed,
}

impl Desk {
    #[durable_workflow(session = self.ctx)]
    async fn waits(&self) -> Result<(), Error> {
        self.ctx.sleep(DAY).await;
        Ok(())
    }
}

struct Bed;

impl Bed {
    async fn sleep(&self, _: Duration) {}
}

macro_rules! select {
    ($a:expr => $b:expr) => {
        ($a, $b)
    };
}

#[durable_workflow]
async fn not_ours(session: &Session) -> Result<(), Error> {
    let _ = select!(session.clone() => 1);
    tokio::select! {
        biased;
        (session, _) = async { (Bed, 1) } => session.sleep(DAY).await,
    }
    Ok(())
}

fn main() {}
