use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<(), Error> {
    for _ in 0..3 {
        async {
            return Ok::<_, Error>(
                #[side_effect(key = "pay", in_doubt = "treasury")]
                call().await?,
            );
        }
        .await?;
    }
    Ok(())
}

async fn call() -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
