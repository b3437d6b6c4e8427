use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: Vec<u32>) -> Result<u32, Error> {
    let _ = async {
        #[side_effect(key = "ignored", in_doubt = "bank")]
        call(1).await
    };
    let _paid = async move {
        #[side_effect(key = "named", in_doubt = "bank")]
        call(2).await?;
        Ok::<(), Error>(())
    };
    ids.iter().for_each(|id| {
        drop(async move {
            #[side_effect(key = "dropped/{id}", in_doubt = "bank")]
            call(3).await?;
            Ok::<(), Error>(())
        });
    });
    let _closure = async |id: u32| {
        #[side_effect(key = "called/{id}", in_doubt = "bank")]
        call(id).await?;
        Ok::<(), Error>(())
    };
    let _used = async {
        #[side_effect(key = "used", in_doubt = "bank")]
        let paid = call(4).await?;
        Ok::<u32, Error>(paid)
    };
    _used.await
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(1)
}

fn main() {}
