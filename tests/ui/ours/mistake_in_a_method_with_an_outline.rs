use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Teller;

trait Pays {
    async fn pay(&self, session: &Session) -> Result<u32, Error>;
}

#[durable_methods]
impl Pays for Teller {
    #[durable_workflow]
    async fn pay(&self, session: &Session) -> Result<u32, Error> {
        #[side_effect(key = "pay")]
        let paid = call().await?;
        Ok(paid)
    }
}

async fn call() -> Result<u32, Error> {
    Ok(0)
}

fn main() {
    let _ = outline!(<Teller as Pays>::pay);
}
