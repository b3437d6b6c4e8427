//! `local` is a word of its own.

use durable_runtime::prelude::*;

#[durable_workflow(local = true)]
async fn bill(session: &Session) -> anyhow::Result<()> {
    Ok(())
}

fn main() {
    let _ = bill;
}
