use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "pay" as pay, in_doubt = "bank")]
    let paid = {
        let _ = call(pay).await;
        1
    };
    #[side_effect(key = "mail" as mail, in_doubt = "bank")]
    {
        drop(call(mail).await);
    };
    Ok(paid)
}

async fn call(_: &StepKey) -> Result<u32, Error> {
    Ok(1)
}

fn main() {}
