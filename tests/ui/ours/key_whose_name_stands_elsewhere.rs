use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<(), Error> {
    #[side_effect(key = "a", as = pay, idempotent)]
    call(pay.token()).await?;
    #[side_effect(key as book = "b", idempotent)]
    call(book.token()).await?;
    #[side_effect(key = "c" as mail: StepKey, idempotent)]
    call(mail.token()).await?;
    #[side_effect(key = "d" => ship, idempotent)]
    call(ship.token()).await?;
    #[side_effect(key = "e" as, idempotent = "by its name")]
    call("e").await?;
    #[side_effect(key = "f" as bill, idempotent)]
    call("f").await?;
    Ok(())
}

async fn call(_: impl ToString) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
