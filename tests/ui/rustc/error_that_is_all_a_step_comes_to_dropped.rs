use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[side_effect(key = "call", in_doubt = "bank")]
    drop(call(1).await);
    #[side_effect(key = "path", in_doubt = "bank")]
    std::mem::drop(call(2).await);
    #[side_effect(key = "block", in_doubt = "bank")]
    {
        let _ = call(3).await;
    }
    #[side_effect(key = "async", in_doubt = "bank")]
    let paid = async {
        let _paid = call(4).await;
        1
    }
    .await;
    Ok(paid)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(1)
}

fn main() {}
