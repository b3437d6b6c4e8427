use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(
    session: &Session,
    #[resource] rates: &[u32],
    #[input(default = rates[0])] first: u32,
    #[input(default = call(1).await)] second: u32,
    #[input(default = "3".parse()?)] third: u32,
    #[input(default = [1, 2].map(|n| n + 1))] fourth: [u32; 2],
) -> Result<(), Error> {
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
