use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session) -> Result<u32, Error> {
    #[read(key = "numbers")]
    let numbers = numbers();
    #[read(key = "boxed")]
    let boxed = boxed();
    Ok(numbers.chain(boxed).sum())
}

fn numbers() -> impl Iterator<Item = u32> {
    0..3
}

fn boxed() -> Box<dyn Iterator<Item = u32>> {
    Box::new(0..3)
}

fn main() {}
