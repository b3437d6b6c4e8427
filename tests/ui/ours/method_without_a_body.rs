use durable_runtime::Error;
use durable_runtime::prelude::*;

trait Pay {
    #[durable_workflow]
    async fn pay(&self, session: &Session) -> Result<(), Error>;
}

fn main() {}
