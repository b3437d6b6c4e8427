//! The lint sets no level of its own, which `forbid` would refuse.

#![forbid(deprecated)]

use durable_runtime::prelude::*;

#[durable_workflow]
async fn bill(session: &Session) -> anyhow::Result<()> {
    println!("{:?}", std::env::var("REGION"));
    Ok(())
}

fn main() {
    let _ = bill;
}
