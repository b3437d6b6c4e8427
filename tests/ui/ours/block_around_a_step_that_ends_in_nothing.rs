//! A step may have to leave the block around it with an error, for which `()` has no place.
use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, ids: Vec<u32>) -> Result<(), Error> {
    let first = async {
        #[side_effect(key = "pay", in_doubt = "treasury")]
        call(1).await?;
    };
    first.await;
    tokio::join!(
        async {
            if ids.len() > 1 {
                #[side_effect(key = "mail", in_doubt = "treasury")]
                call(2).await?;
            }
        },
        async {
            #[read(key = "look")]
            let found = call(3).await?;
            println!("{found}");
        }
    );
    let all = each(ids, 4, async |id| {
        #[side_effect(key = "pay/{id}", in_doubt = "treasury")]
        call(id).await?;
    });
    all.await;
    #[side_effect(key = "both", in_doubt = "treasury")]
    async {
        call(4).await?;
        call(5).await?;
    }
    .await?;
    Ok(())
}

#[durable_workflow]
async fn pay_one(session: &Session) -> anyhow::Result<()> {
    async {
        #[side_effect(key = "pay", in_doubt = "treasury")]
        call(1).await?;
    }
    .await;
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
