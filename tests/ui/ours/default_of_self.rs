use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Teller(Session);

impl Teller {
    #[durable_workflow(session = self.0)]
    async fn pay(#[input(default)] &self) -> Result<(), Error> {
        Ok(())
    }
}

fn main() {}
