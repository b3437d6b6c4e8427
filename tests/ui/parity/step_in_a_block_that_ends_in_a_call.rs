use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, n: u32) -> Result<u32, Error> {
    let two = async {
        #[read(key = "b")]
        let b = call("n").await?;
        call(b).await
    };
    let three = async {
        #[read(key = "c")]
        let c = cal(n).await?;
        call(c).await
    };
    let four = async {
        #[read(key = "d")]
        let d = call(n).awiat?;
        call(n).await
    };
    two.await?;
    three.await?;
    four.await
}

async fn call(n: u32) -> Result<u32, Error> {
    Ok(n)
}

fn main() {}
