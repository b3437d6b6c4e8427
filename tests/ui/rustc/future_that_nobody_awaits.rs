use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: Option<u32>, more: Vec<u32>) -> Result<(), Error> {
    let _ = account(session, 1);
    let _account = account(session, 2);
    drop(Box::pin(account(session, 3)));
    let _sent = id.map(async |id| {
        #[side_effect(key = "send/{id}", in_doubt = "mail")]
        send(id).await?;
        Ok::<(), Error>(())
    });
    id.map(async |id| {
        #[side_effect(key = "again/{id}", in_doubt = "mail")]
        send(id).await?;
        Ok::<(), Error>(())
    });
    let _all = more.iter().map(async |id| {
        #[side_effect(key = "each/{id}", in_doubt = "mail")]
        send(*id).await?;
        Ok::<(), Error>(())
    });
    Ok(())
}

#[durable_workflow(key = "account/{id}")]
async fn account(session: &Session, id: u32) -> Result<(), Error> {
    #[side_effect(key = "open", in_doubt = "bank")]
    send(id).await?;
    Ok(())
}

async fn send(_: u32) -> Result<(), Error> {
    Ok(())
}

fn main() {}
