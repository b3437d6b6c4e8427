//! A restart would see another time; with `deny` that does not compile.

use durable_runtime::prelude::*;

#[durable_workflow(nondeterminism = "deny")]
async fn bill(session: &Session) -> anyhow::Result<()> {
    let today = std::time::SystemTime::now();
    println!("{today:?}");
    Ok(())
}

fn main() {
    let _ = bill;
}
