//! A wait without an attribute has no key. What else is called so is none of ours.
use std::time::Duration;

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn waits(session: &Session, rounds: Vec<u32>) -> Result<(), Error> {
    session.sleep(Duration::from_secs(60)).await?;
    let _send: Approval = session.decide().await?;
    for round in rounds {
        session.clone().sleep_until(std::time::UNIX_EPOCH + Duration::from_secs(60) * round + Duration::from_secs(1)).await?;
    }
    let (_slept, _) = tokio::join!(session.sleep(Duration::ZERO), Bed.sleep());
    session.sleep(Duration::ZERO).key("by hand").await?;
    Ok(())
}

struct Desk {
    session: Session,
}

impl Desk {
    #[durable_workflow(session = self.session)]
    async fn waits(&self) -> Result<(), Error> {
        let session = &self.session;
        tokio::select! {
            biased;
            slept = self.session.sleep(Duration::ZERO) => slept?,
            () = Bed.sleep() => println!("{}", session.decide::<bool>()?),
        }
        Ok(())
    }
}

struct Bed;

impl Bed {
    async fn sleep(&self) {}
}

fn main() {}
