#![deny(unused_must_use)]

use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn welcome(session: &Session, id: Option<u32>) -> Result<(), Error> {
    id.ok_or("nobody").map(|id| is_open(session, id));
    id.into_iter().map(|id| is_open(session, id));
    Ok(())
}

fn is_open(_: &Session, id: u32) -> bool {
    id > 0
}

fn main() {}
