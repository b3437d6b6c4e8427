use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::{Approval, Error};

struct Context {
    session: Session,
}

async fn cool_down(session: &Session) -> Result<(), Error> {
    session.sleep(Duration::from_secs(60)).await
}

async fn agree(session: &Session) -> Result<Approval, Error> {
    let agreed: Approval = session.decide().await?;
    Ok(agreed)
}

#[durable_workflow]
async fn pay(session: &Session, #[resource] context: &Context) -> Result<(), Error> {
    context.session.sleep(Duration::from_secs(60)).await?;
    Ok(())
}

fn main() {}
