use durable_runtime::Error;
use durable_runtime::prelude::*;
use futures_util::{StreamExt as _, stream};

#[durable_workflow]
async fn pay(session: &Session, ids: Vec<u32>) -> Result<(), Error> {
    let _ = stream::iter(ids.clone()).then(async |id| {
        #[side_effect(key = "then/{id}", in_doubt = "bank")]
        call(id).await
    });
    let _paid = stream::iter(ids)
        .map(async |id| {
            #[side_effect(key = "map/{id}", in_doubt = "bank")]
            call(id).await
        })
        .buffered(2);
    let (_one, _two) = (
        async {
            #[side_effect(key = "one", in_doubt = "bank")]
            call(1).await
        },
        2,
    );
    Ok(())
}

async fn call(_: u32) {}

fn main() {}
