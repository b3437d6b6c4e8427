use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Teller {
    session: String,
}

impl Teller {
    #[durable_workflow(session = self.session)]
    async fn pay(&self) -> Result<u32, Error> {
        Ok(0)
    }
}

fn main() {}
