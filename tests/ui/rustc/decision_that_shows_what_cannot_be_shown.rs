use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Plan;

#[durable_workflow]
async fn pay(session: &Session, #[resource] other: &Plan) -> Result<(), Error> {
    let plan = Plan;
    #[decision(key = "go", ask = "finance", shows = plan)]
    let _: Approval = session.decide().await?;
    #[decision(key = "on", ask = "finance", shows = other)]
    let _: Approval = session.decide().await?;
    Ok(())
}

fn main() {}
