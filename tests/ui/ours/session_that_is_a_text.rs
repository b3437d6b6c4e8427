use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Teller {
    session: Session,
}

impl Teller {
    #[durable_workflow(session = "self.session")]
    async fn pay(&self) -> Result<(), Error> {
        Ok(())
    }
}

fn main() {}
