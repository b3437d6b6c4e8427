use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn send(session: &Session) -> Result<bool, Error> {
    #[decision(key = "send", expires = "24h", on_expiry = 17)]
    let send: Approval = session.decide().await?;
    #[decision(key = "how-many", expires = "24h", on_expiry = "none")]
    let number: u32 = session.decide().await?;
    Ok(send.is_approved() && number > 0)
}

fn main() {}
