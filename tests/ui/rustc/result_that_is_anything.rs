//! What is behind a `dyn` is known to nobody who reads it back.
use std::any::Any;

use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> anyhow::Result<bool> {
    #[read(key = "any")]
    let any = any().await?;
    #[read(key = "error")]
    let error = error();
    Ok(any.is::<u32>() || error.to_string().is_empty())
}

async fn any() -> anyhow::Result<Box<dyn Any + Send>> {
    Ok(Box::new(1))
}

fn error() -> Box<dyn std::error::Error> {
    Box::new(std::fmt::Error)
}

fn main() {}
