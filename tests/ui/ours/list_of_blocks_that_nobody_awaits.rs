use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: Vec<u32>) -> Result<usize, Error> {
    let mut payments = Vec::new();
    for id in &ids {
        payments.push(async move {
            #[side_effect(key = "listed/{id}", in_doubt = "bank")]
            call(*id).await?;
            Ok::<(), Error>(())
        });
    }
    _ = async {
        #[side_effect(key = "ignored", in_doubt = "bank")]
        call(1).await?;
        Ok::<(), Error>(())
    };
    let _both = (2, async {
        #[side_effect(key = "second", in_doubt = "bank")]
        call(2).await?;
        Ok::<(), Error>(())
    });
    let mut awaited = Vec::new();
    for id in &ids {
        awaited.push(async move {
            #[side_effect(key = "awaited/{id}", in_doubt = "bank")]
            call(*id).await?;
            Ok::<(), Error>(())
        });
    }
    for payment in awaited {
        payment.await?;
    }
    Ok(ids.len())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(1)
}

fn main() {}
