use durable_runtime::prelude::*;

/// Payments.
#[durable_workflow]
pub(crate) mod pay {}

#[durable_workflow]
trait Pays {
    async fn pay(&self);
}

#[durable_workflow]
#[derive(Clone)]
struct Payment;

fn main() {}
