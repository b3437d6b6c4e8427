use durable_runtime::Error;
use durable_runtime::prelude::*;

fn main() {
    let _pay = #[durable_workflow]
    async |_session: &Session| -> Result<(), Error> { Ok(()) };
}
