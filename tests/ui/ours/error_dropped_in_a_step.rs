use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "mail" as mail, in_doubt = "bank")]
    {
        call(id, mail).await.ok();
    };
    #[side_effect(key = "book" as book, in_doubt = "bank")]
    {
        if let Err(error) = call(id, book).await {
            eprintln!("{error}");
        }
    };
    Ok(id)
}

async fn call(id: u32, _: &StepKey) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
