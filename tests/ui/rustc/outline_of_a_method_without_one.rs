use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Teller;

impl Teller {
    #[durable_workflow]
    async fn pay(&self, session: &Session) -> Result<u32, Error> {
        Ok(0)
    }
}

fn main() {
    let _ = outline!(Teller::pay).to_string();
}
