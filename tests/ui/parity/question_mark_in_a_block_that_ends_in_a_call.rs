// differs: where it is not evident that a block ends in a `Result`, the session and the step leave it by one call, so that
// what cannot be left is said once; the call stands where the `?` stood, and is none.
use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, n: u32) -> Result<u32, Error> {
    let one = async {
        #[read(key = "a")]
        let a = number("3").await?;
        #[read(key = "b")]
        let _b: String = call(a).await?;
        call(a + n).await
    };
    one.await
}

async fn number(text: &str) -> Result<u32, std::num::ParseIntError> {
    text.parse()
}

async fn call(n: u32) -> Result<u32, Error> {
    Ok(n)
}

fn main() {}
