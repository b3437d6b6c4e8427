use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(
    session: &Session,
    #[ressource] bank: &dyn Bank,
    #[inputs(default = 3)] days: u32,
) -> Result<(), Error> {
    Ok(())
}

trait Bank: Sync {}

fn main() {}
