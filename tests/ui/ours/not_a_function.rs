use durable_runtime::prelude::*;

#[durable_workflow]
struct Payment;

fn main() {}
