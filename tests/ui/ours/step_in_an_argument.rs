use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow(session = #[read(key = "session")] open())]
async fn pay(id: u32, #[input(default = #[read(key = "rate")] rate())] rate: u32) -> Result<u32, Error> {
    #[side_effect(key = "pay", in_doubt = "bank", args = #[read(key = "args")] call(id).await?)]
    let paid = call(id).await?;
    #[side_effect(key = "mail", in_doubt = "bank", title = "mail {#[read(key = \"title\")] call(id).await?}")]
    let mailed = call(paid).await?;
    Ok(mailed + rate)
}

fn open() -> Session {
    unimplemented!()
}

fn rate() -> u32 {
    1
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
