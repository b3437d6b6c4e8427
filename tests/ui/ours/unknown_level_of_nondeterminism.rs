//! There are three levels.

use durable_runtime::prelude::*;

#[durable_workflow(nondeterminism = "dney")]
async fn bill(session: &Session) -> anyhow::Result<()> {
    Ok(())
}

fn main() {
    let _ = bill;
}
